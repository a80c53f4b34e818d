package shelf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ShelfBasicsTest {
    private long now = 1000;

    private Shelf<String, Integer> shelf(int capacity) {
        return new Shelf<>(capacity, 100, () -> now);
    }

    @Test
    void storedValueIsFound() {
        Shelf<String, Integer> shelf = shelf(3);
        shelf.put("a", 1);
        shelf.put("b", 2);
        assertEquals(Optional.of(1), shelf.get("a"));
        assertEquals(2, shelf.size());
    }

    @Test
    void unknownKeyYieldsNothing() {
        assertEquals(Optional.empty(), shelf(3).get("a"));
        assertEquals(Optional.empty(), shelf(3).remove("a"));
    }

    @Test
    void firstStoredLeavesFirst() {
        Shelf<String, Integer> shelf = shelf(2);
        shelf.put("a", 1);
        shelf.put("b", 2);
        shelf.put("c", 3);
        assertEquals(List.of("b", "c"), shelf.keys());
        assertEquals(Optional.empty(), shelf.get("a"));
    }

    @Test
    void valueFarTooOldIsNotGiven() {
        Shelf<String, Integer> shelf = shelf(2);
        shelf.put("a", 1);
        now += 500;
        assertEquals(Optional.empty(), shelf.get("a"));
    }

    @Test
    void lookingUpDoesNotProlongTheLife() {
        Shelf<String, Integer> shelf = shelf(2);
        shelf.put("a", 1);
        now += 60;
        assertEquals(Optional.of(1), shelf.get("a"));
        now += 60;
        assertEquals(Optional.empty(), shelf.get("a"));
    }

    @Test
    void removingGivesTheValueBack() {
        Shelf<String, Integer> shelf = shelf(2);
        shelf.put("a", 1);
        assertEquals(Optional.of(1), shelf.remove("a"));
        assertEquals(Optional.empty(), shelf.get("a"));
    }

    @Test
    void impossibleLimitsAreRefused() {
        IllegalArgumentException small = assertThrows(IllegalArgumentException.class, () -> shelf(0));
        assertEquals("capacity must be at least 1, got 0", small.getMessage());
    }
}
