package flags;

import java.util.List;

/** Writes the help of a program. */
public final class HelpText {
    private HelpText() {}

    /** The help for a program with the given options. */
    public static String render(String program, List<Option> options) {
        throw new UnsupportedOperationException("HelpText.render is not written yet");
    }
}
