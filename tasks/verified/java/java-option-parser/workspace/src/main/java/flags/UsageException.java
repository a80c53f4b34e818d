package flags;

/** A command line that the program does not understand; the message is meant for its user. */
public final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public UsageException(String message) {
        super(message);
    }
}
