package shelf;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * A place for a limited number of values, each of which spoils after a while.
 *
 * <p>The clock is handed in and gives milliseconds; it never runs backwards.
 */
public final class Shelf<K, V> {
    private record Entry<V>(V value, long storedAt) {}

    private final Map<K, Entry<V>> entries = new LinkedHashMap<>();
    private final int capacity;
    private final long lifetimeMillis;
    private final LongSupplier clock;

    public Shelf(int capacity, long lifetimeMillis, LongSupplier clock) {
        if (capacity < 1) {
            throw new IllegalArgumentException("capacity must be at least 1, got " + capacity);
        }
        if (lifetimeMillis < 1) {
            throw new IllegalArgumentException("lifetime must be at least 1, got " + lifetimeMillis);
        }
        this.capacity = capacity;
        this.lifetimeMillis = lifetimeMillis;
        this.clock = clock;
    }

    /** Stores a value, for a key that is new or known. */
    public void put(K key, V value) {
        dropSpoiled();
        entries.remove(key);
        if (entries.size() == capacity) {
            K eldest = entries.keySet().iterator().next();
            entries.remove(eldest);
        }
        entries.put(key, new Entry<>(value, clock.getAsLong()));
    }

    /** Looks a value up. */
    public Optional<V> get(K key) {
        dropSpoiled();
        Entry<V> entry = entries.remove(key);
        if (entry == null) {
            return Optional.empty();
        }
        entries.put(key, entry);
        return Optional.of(entry.value());
    }

    /** Looks a value up and stores what the loader makes of the key if there is none. */
    public V fetch(K key, Function<? super K, ? extends V> loader) {
        Optional<V> found = get(key);
        if (found.isPresent()) {
            return found.get();
        }
        V made = loader.apply(key);
        put(key, made);
        return made;
    }

    /** Takes a value off the shelf. */
    public Optional<V> remove(K key) {
        dropSpoiled();
        Entry<V> entry = entries.remove(key);
        return entry == null ? Optional.empty() : Optional.of(entry.value());
    }

    /** The number of values on the shelf. */
    public int size() {
        dropSpoiled();
        return entries.size();
    }

    /** The keys, from the one used longest ago to the one used latest. */
    public List<K> keys() {
        dropSpoiled();
        return new ArrayList<>(entries.keySet());
    }

    private void dropSpoiled() {
        long now = clock.getAsLong();
        entries.values().removeIf(entry -> now - entry.storedAt() >= lifetimeMillis);
    }
}
