package flags;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

class ParserAndHelpTest {
    private static final Parser PARSER = new Parser(List.of(
            Option.toggle("verbose", 'v', "say more"),
            Option.toggle("version", null, "show the version"),
            Option.valued("output", 'o', "FILE", "write to FILE").orElse("out.txt"),
            Option.valued("tag", 't', "TAG", "attach TAG"),
            Option.toggle("tags", 'T', "list tags")));

    private static Parsed parse(String... arguments) {
        return PARSER.parse(List.of(arguments));
    }

    private static String complaint(String... arguments) {
        return assertThrows(UsageException.class, () -> parse(arguments)).getMessage();
    }

    @Test
    void bothFormsOfLongValueAreRead() {
        Parsed parsed = parse("--tag", "red", "--output=a=b", "--tag=", "--tag", "--verbose");
        assertEquals(List.of("red", "", "--verbose"), parsed.values("tag"));
        assertEquals(List.of("a=b"), parsed.values("output"));
        assertEquals(3, parsed.count("tag"));
        assertEquals(0, parsed.count("verbose"));
    }

    @Test
    void lettersMayStandTogether() {
        Parsed parsed = parse("-vTtblue", "-vo", "-", "-t=x");
        assertEquals(2, parsed.count("verbose"));
        assertEquals(1, parsed.count("tags"));
        assertEquals(List.of("blue", "=x"), parsed.values("tag"));
        assertEquals(List.of("-"), parsed.values("output"));
        assertEquals(List.of(), parsed.operands());
    }

    @Test
    void fallbackCountsOnlyWithoutTheOption() {
        Parsed without = parse("--verbose", "--verbose");
        assertEquals(2, without.count("verbose"));
        assertEquals(List.of("out.txt"), without.values("output"));
        assertEquals(0, without.count("output"));
        assertEquals(List.of(), without.values("tag"));
        assertEquals(List.of("x", "y"), parse("-ox", "-oy").values("output"));
    }

    @Test
    void beginningOfNameSufficesIfUnique() {
        Parsed parsed = parse("--verb", "--out=x", "--tag", "t", "--vers");
        assertEquals(1, parsed.count("verbose"));
        assertEquals(1, parsed.count("version"));
        assertEquals(List.of("x"), parsed.values("output"));
        assertEquals(List.of("t"), parsed.values("tag"));
        assertEquals("option --ver is ambiguous: --verbose, --version", complaint("--ver"));
        assertEquals("option --ta is ambiguous: --tag, --tags", complaint("--ta=1"));
    }

    @Test
    void operandsMixWithOptionsUntilTheDashes() {
        Parsed parsed = parse("a", "-v", "-", "", "--", "-v", "--", "--nonsense");
        assertEquals(List.of("a", "-", "", "-v", "--", "--nonsense"), parsed.operands());
        assertEquals(1, parsed.count("verbose"));
        assertEquals(List.of("--"), parse("--tag", "--").values("tag"));
    }

    @Test
    void valuesMissingOrUnwantedAreReported() {
        assertEquals("option --output needs a value FILE", complaint("a", "--out"));
        assertEquals("option -t needs a value TAG", complaint("-vt"));
        assertEquals("option --verbose takes no value", complaint("--verb=1"));
    }

    @Test
    void strangeOptionsAreReported() {
        assertEquals("unknown option --colour", complaint("--colour=red", "--ver"));
        assertEquals("unknown option -x", complaint("-vx", "--colour"));
        assertEquals("unknown option --", complaint("--=v"));
    }

    @Test
    void helpPutsDescriptionsInOneColumn() {
        String expected = String.join(
                "\n",
                "usage: pack [OPTION]... [ARG]...",
                "",
                "  -v, --verbose      say more",
                "      --version      show the version",
                "  -o, --output FILE  write to FILE (default: out.txt)",
                "  -t, --tag TAG      attach TAG",
                "  -T, --tags         list tags",
                "");
        assertEquals(expected, HelpText.render("pack", PARSER.options()));
    }

    @Test
    void helpGivesWideOptionsTheirOwnLine() {
        String expected = String.join(
                "\n",
                "usage: p [OPTION]... [ARG]...",
                "",
                "  -q, --quiet",
                "      --exactly-18-chars  it fits",
                "      --now-it-is-19-long",
                "                          it does not fit",
                "      --level LEVEL       (default: 3)",
                "");
        assertEquals(
                expected,
                HelpText.render(
                        "p",
                        List.of(
                                Option.toggle("quiet", 'q', ""),
                                Option.toggle("exactly-18-chars", null, "it fits"),
                                Option.toggle("now-it-is-19-long", null, "it does not fit"),
                                Option.valued("level", null, "LEVEL", "").orElse("3"))));
    }

    @Test
    void helpWithoutOptionsIsOneLine() {
        assertEquals("usage: pack [ARG]...\n", HelpText.render("pack", List.of()));
    }
}
