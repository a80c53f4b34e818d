package flags;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

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
        Reading reading = new Reading(arguments.iterator());
        while (reading.rest.hasNext()) {
            String argument = reading.rest.next();
            if (argument.equals("--")) {
                reading.rest.forEachRemaining(reading.operands::add);
            } else if (argument.startsWith("--")) {
                readLong(argument.substring(2), reading);
            } else if (argument.startsWith("-") && argument.length() > 1) {
                readCluster(argument.substring(1), reading);
            } else {
                reading.operands.add(argument);
            }
        }
        for (Option option : options) {
            if (option.fallback() != null) {
                reading.values.putIfAbsent(option.name(), List.of(option.fallback()));
            }
        }
        return new Parsed(reading.counts, reading.values, reading.operands);
    }

    private void readLong(String text, Reading reading) {
        int sign = text.indexOf('=');
        Option option = named(sign < 0 ? text : text.substring(0, sign));
        String shown = "--" + option.name();
        if (!option.takesValue()) {
            if (sign >= 0) {
                throw new UsageException("option " + shown + " takes no value");
            }
            reading.count(option);
        } else {
            reading.value(option, sign < 0 ? reading.next(option, shown) : text.substring(sign + 1));
        }
    }

    private void readCluster(String letters, Reading reading) {
        for (int place = 0; place < letters.length(); place++) {
            Option option = lettered(letters.charAt(place));
            if (option.takesValue()) {
                String attached = letters.substring(place + 1);
                String shown = "-" + option.letter();
                reading.value(option, attached.isEmpty() ? reading.next(option, shown) : attached);
                return;
            }
            reading.count(option);
        }
    }

    private Option named(String name) {
        List<Option> fitting = new ArrayList<>();
        for (Option option : options) {
            if (option.name().equals(name)) {
                return option;
            }
            if (!name.isEmpty() && option.name().startsWith(name)) {
                fitting.add(option);
            }
        }
        if (fitting.isEmpty()) {
            throw new UsageException("unknown option --" + name);
        }
        if (fitting.size() > 1) {
            String list = fitting.stream().map(option -> "--" + option.name()).collect(Collectors.joining(", "));
            throw new UsageException("option --" + name + " is ambiguous: " + list);
        }
        return fitting.get(0);
    }

    private Option lettered(char letter) {
        for (Option option : options) {
            if (option.letter() != null && option.letter() == letter) {
                return option;
            }
        }
        throw new UsageException("unknown option -" + letter);
    }

    private static final class Reading {
        private final Iterator<String> rest;
        private final Map<String, Integer> counts = new HashMap<>();
        private final Map<String, List<String>> values = new LinkedHashMap<>();
        private final List<String> operands = new ArrayList<>();

        Reading(Iterator<String> rest) {
            this.rest = rest;
        }

        void count(Option option) {
            counts.merge(option.name(), 1, Integer::sum);
        }

        void value(Option option, String value) {
            count(option);
            values.computeIfAbsent(option.name(), name -> new ArrayList<>()).add(value);
        }

        String next(Option option, String shown) {
            if (!rest.hasNext()) {
                throw new UsageException("option " + shown + " needs a value " + option.valueName());
            }
            return rest.next();
        }
    }
}
