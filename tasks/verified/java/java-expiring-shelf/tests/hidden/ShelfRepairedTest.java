package shelf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ShelfRepairedTest {
    private long now = 5000;

    private Shelf<String, Integer> shelf(int capacity) {
        return new Shelf<>(capacity, 100, () -> now);
    }

    @Test
    void lookedUpValueOutlivesTheOther() {
        Shelf<String, Integer> shelf = shelf(2);
        shelf.put("a", 1);
        shelf.put("b", 2);
        shelf.get("a");
        shelf.put("c", 3);
        assertEquals(Optional.of(1), shelf.get("a"));
        assertEquals(Optional.empty(), shelf.get("b"));
    }

    @Test
    void valueSpoilsAtTheVeryMillisecond() {
        Shelf<String, Integer> shelf = shelf(2);
        shelf.put("a", 1);
        now += 99;
        assertEquals(Optional.of(1), shelf.get("a"));
        now += 1;
        assertEquals(Optional.empty(), shelf.get("a"));
    }

    @Test
    void knownKeyNeedsNoRoom() {
        Shelf<String, Integer> shelf = shelf(2);
        shelf.put("a", 1);
        shelf.put("b", 2);
        shelf.put("b", 3);
        assertEquals(Optional.of(1), shelf.get("a"));
        assertEquals(Optional.of(3), shelf.get("b"));
    }

    @Test
    void knownKeyMovesToTheEnd() {
        Shelf<String, Integer> shelf = shelf(3);
        shelf.put("a", 1);
        shelf.put("b", 2);
        now += 70;
        shelf.put("a", 3);
        assertEquals(List.of("b", "a"), shelf.keys());
        now += 70;
        assertEquals(Optional.of(3), shelf.get("a"));
    }

    @Test
    void spoiledValueLeavesBeforeAnyOther() {
        Shelf<String, Integer> shelf = shelf(3);
        shelf.put("a", 1);
        now += 10;
        shelf.put("b", 2);
        now += 80;
        shelf.put("a", 3);
        now += 5;
        shelf.get("b");
        now += 1;
        shelf.put("d", 4);
        now += 19;
        shelf.put("c", 5);
        assertEquals(Optional.of(3), shelf.get("a"));
        assertEquals(Optional.of(4), shelf.get("d"));
        assertEquals(Optional.of(5), shelf.get("c"));
    }

    @Test
    void countAndKeysIgnoreWhatIsSpoiled() {
        Shelf<String, Integer> shelf = shelf(3);
        shelf.put("a", 1);
        now += 50;
        shelf.put("b", 2);
        now += 60;
        assertEquals(1, shelf.size());
        assertEquals(List.of("b"), shelf.keys());
        now += 60;
        assertEquals(List.of(), shelf.keys());
        assertEquals(0, shelf.size());
    }

    @Test
    void takingOffSpoiledValueYieldsNothing() {
        Shelf<String, Integer> shelf = shelf(3);
        shelf.put("a", 1);
        now += 200;
        assertEquals(Optional.empty(), shelf.remove("a"));
    }

    @Test
    void loaderWorksForMissingValuesOnly() {
        Shelf<String, Integer> shelf = shelf(3);
        List<String> loaded = new ArrayList<>();
        for (String key : List.of("one", "three", "one", "three")) {
            int length = shelf.fetch(key, wanted -> {
                loaded.add(wanted);
                return wanted.length();
            });
            assertEquals(key.length(), length);
        }
        assertEquals(List.of("one", "three"), List.copyOf(loaded));
        assertEquals(List.of("one", "three"), shelf.keys());
    }

    @Test
    void failingLoaderStoresNothing() {
        Shelf<String, Integer> shelf = shelf(1);
        shelf.put("a", 1);
        IllegalStateException failure = new IllegalStateException("no stock");
        IllegalStateException thrown = assertThrows(IllegalStateException.class, () -> shelf.fetch("b", key -> {
            throw failure;
        }));
        assertEquals("no stock", thrown.getMessage());
        assertEquals(List.of("a"), shelf.keys());
    }
}
