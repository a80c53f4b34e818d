package flags;

import java.util.List;

/** Writes the help of a program. */
public final class HelpText {
    private static final int WIDEST = 24;

    private HelpText() {}

    /** The help for a program with the given options. */
    public static String render(String program, List<Option> options) {
        StringBuilder text = new StringBuilder("usage: " + program);
        if (options.isEmpty()) {
            return text.append(" [ARG]...\n").toString();
        }
        text.append(" [OPTION]... [ARG]...\n\n");
        int width = options.stream()
                .mapToInt(option -> left(option).length())
                .filter(length -> length <= WIDEST)
                .max()
                .orElse(WIDEST);
        for (Option option : options) {
            String left = left(option);
            String right = right(option);
            text.append(left);
            if (!right.isEmpty()) {
                int missing = width - left.length();
                text.append(missing < 0 ? "\n" + " ".repeat(width) : " ".repeat(missing));
                text.append("  ").append(right);
            }
            text.append('\n');
        }
        return text.toString();
    }

    private static String left(Option option) {
        String letter = option.letter() == null ? "    " : "-" + option.letter() + ", ";
        String value = option.takesValue() ? " " + option.valueName() : "";
        return "  " + letter + "--" + option.name() + value;
    }

    private static String right(Option option) {
        if (option.fallback() == null) {
            return option.description();
        }
        String fallback = "(default: " + option.fallback() + ")";
        return option.description().isEmpty() ? fallback : option.description() + " " + fallback;
    }
}
