package flags;

import java.util.List;

/** Reads command lines. */
public final class Parser {
    private final List<Option> options;

    public Parser(List<Option> options) {
        this.options = List.copyOf(options);
    }

    /** The options in the order of their declaration. */
    public List<Option> options() {
        return options;
    }

    /** Reads the arguments from left to right. */
    public Parsed parse(List<String> arguments) {
        throw new UnsupportedOperationException("Parser.parse is not written yet");
    }
}
