package flags;

/**
 * One option of a program.
 *
 * @param name the long name, without its dashes
 * @param letter the short name, or null if there is none
 * @param valueName what its value is called in the help, or null for a switch
 * @param fallback the value that counts if the option is not given, or null if there is none
 * @param description one line for the help
 */
public record Option(String name, Character letter, String valueName, String fallback, String description) {
    public Option {
        if (!name.matches("[a-z][a-z0-9]*(-[a-z0-9]+)*")) {
            throw new IllegalArgumentException("not a name for an option: " + name);
        }
        if (fallback != null && valueName == null) {
            throw new IllegalArgumentException("switch " + name + " cannot have a fallback");
        }
    }

    /** An option without a value. */
    public static Option toggle(String name, Character letter, String description) {
        return new Option(name, letter, null, null, description);
    }

    /** An option with a value. */
    public static Option valued(String name, Character letter, String valueName, String description) {
        return new Option(name, letter, valueName, null, description);
    }

    /** The same option with a value for the case that it is not given. */
    public Option orElse(String value) {
        return new Option(name, letter, valueName, value, description);
    }

    public boolean takesValue() {
        return valueName != null;
    }
}
