// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import io.slipstream.faults.schedule.FaultClass;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * A planted bug that a short run of processes shows.
 *
 * @param name of a bug in {@code io.slipstream.planted}
 * @param inProxy whether it is planted in the proxies, not in the brokers
 * @param faults the classes of faults to inject
 * @param anomalies the kinds of anomalies it causes; a run shows at least one of them
 */
public record ProcessBug(String name, boolean inProxy, Set<FaultClass> faults, Set<String> anomalies) {
    /** Quick ones, after which readers pass through older segments and new links. */
    private static final Set<FaultClass> QUICK =
            Set.of(FaultClass.SEGMENT_ROLL, FaultClass.LINK_LOSS, FaultClass.CLIENT_CUT);

    public static final List<ProcessBug> ALL = List.of(
            inProxy("last-stable-offset-ignored", "I14 G1a"),
            inProxy("aborted-unlisted", "I14 G1a"),
            inProxy("acknowledged-offset-shifted", "I3 inconsistent-offsets"),
            new ProcessBug(
                    "log-start-ignored", true, Set.of(FaultClass.DELETE_RECORDS), Set.of("I24 read-below-log-start")),
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
        return new ProcessBug(name, true, QUICK, Set.of(anomalies));
    }

    private static ProcessBug inPlugin(String name, String... anomalies) {
        return new ProcessBug(name, false, QUICK, Set.of(anomalies));
    }
}
