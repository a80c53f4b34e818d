package flags;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a command line said. Options are asked for by their long name. */
public final class Parsed {
    private final Map<String, Integer> counts;
    private final Map<String, List<String>> values = new LinkedHashMap<>();
    private final List<String> operands;

    /**
     * @param counts how often each option was given
     * @param values the values of each option that takes one, in their order
     * @param operands the arguments that belong to no option
     */
    public Parsed(Map<String, Integer> counts, Map<String, List<String>> values, List<String> operands) {
        this.counts = Map.copyOf(counts);
        values.forEach((name, list) -> this.values.put(name, List.copyOf(list)));
        this.operands = List.copyOf(operands);
    }

    public int count(String name) {
        return counts.getOrDefault(name, 0);
    }

    public List<String> values(String name) {
        return values.getOrDefault(name, List.of());
    }

    public List<String> operands() {
        return operands;
    }
}
