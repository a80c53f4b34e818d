package flags;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OptionPartsTest {
    @Test
    void badNamesAreRefused() {
        for (String name : List.of("", "-x", "Loud", "two--dashes", "end-")) {
            IllegalArgumentException refused =
                    assertThrows(IllegalArgumentException.class, () -> Option.toggle(name, null, ""));
            assertEquals("not a name for an option: " + name, refused.getMessage());
        }
    }

    @Test
    void switchCannotFallBack() {
        Option loud = Option.toggle("loud", 'l', "make noise");
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> loud.orElse("yes"));
        assertEquals("switch loud cannot have a fallback", refused.getMessage());
    }

    @Test
    void valueNameDecidesWhetherThereIsOne() {
        assertEquals(true, Option.valued("output", 'o', "FILE", "").takesValue());
        assertEquals(false, Option.toggle("loud", 'l', "").takesValue());
        assertEquals("x.txt", Option.valued("output", 'o', "FILE", "").orElse("x.txt").fallback());
    }

    @Test
    void absentOptionsHaveNeitherCountNorValues() {
        Parsed parsed = new Parsed(Map.of(), Map.of(), List.of());
        assertEquals(0, parsed.count("loud"));
        assertEquals(List.of(), parsed.values("output"));
        assertEquals(List.of(), parsed.operands());
    }

    @Test
    void outcomeIsIndependentOfItsSources() {
        List<String> operands = new ArrayList<>(List.of("a"));
        List<String> files = new ArrayList<>(List.of("x"));
        Parsed parsed = new Parsed(Map.of("output", 1), Map.of("output", files), operands);
        operands.add("b");
        files.add("y");
        assertEquals(List.of("a"), parsed.operands());
        assertEquals(List.of("x"), parsed.values("output"));
    }

    @Test
    void declaredOptionsKeepTheirOrder() {
        Option one = Option.toggle("one", null, "");
        Option two = Option.toggle("two", null, "");
        assertEquals(List.of(two, one), new Parser(List.of(two, one)).options());
    }
}
