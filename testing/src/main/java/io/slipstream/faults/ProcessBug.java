// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * A planted bug that a short run of processes shows.
 *
 * @param name of a bug in {@code io.slipstream.planted}
 * @param inProxy whether it is planted in the proxies, not in the brokers
 * @param anomalies the kinds of anomalies it causes; a run shows at least one of them
 */
public record ProcessBug(String name, boolean inProxy, Set<String> anomalies) {
    public static final List<ProcessBug> ALL = List.of(
            inProxy("last-stable-offset-ignored", "I14 G1a"),
            inProxy("aborted-unlisted", "I14 G1a"),
            inProxy("acknowledged-offset-shifted", "I3 inconsistent-offsets"),
            inPlugin("aborted-unanswered", "I14 G1a"),
            inPlugin("located-late", "I6 poll-skip"));

    /** Draws one. */
    public static ProcessBug of(RandomGenerator random) {
        return ALL.get(random.nextInt(ALL.size()));
    }

    /**
     * Returns the bug of that name.
     *
     * @throws IllegalArgumentException that lists all names
     */
    public static ProcessBug named(String name) {
        return ALL.stream()
                .filter(bug -> bug.name.equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown bug " + name + "; known: "
                        + ALL.stream().map(ProcessBug::name).toList()));
    }

    private static ProcessBug inProxy(String name, String... anomalies) {
        return new ProcessBug(name, true, Set.of(anomalies));
    }

    private static ProcessBug inPlugin(String name, String... anomalies) {
        return new ProcessBug(name, false, Set.of(anomalies));
    }
}
