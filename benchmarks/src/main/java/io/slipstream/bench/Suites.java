// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.bench.transport.TransportSuite;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** All suites. */
public final class Suites {
    /** Those of a run without names, in their order: those of the table of targets first. */
    public static final List<Suite> ALL = List.of(
            WorkloadSuite.ROUND_TRIPS,
            WorkloadSuite.END_TO_END,
            WorkloadSuite.PRODUCE,
            WorkloadSuite.FETCH,
            ToolSuite.STOCK_TOOLS,
            WorkloadSuite.STOCK_CLIENT,
            WorkloadSuite.PRODUCE_SIZES,
            WorkloadSuite.PRODUCE_BANDWIDTH,
            WorkloadSuite.FETCH_SIZES,
            WorkloadSuite.FETCH_BANDWIDTH,
            new LoadSuite(),
            new EventSuite(),
            new MixedSuite(),
            new ReplicationSuite(),
            new IdleSuite(),
            new TransportSuite());

    /** Those that run by name only. */
    private static final List<Suite> BY_NAME = List.of(ToolSuite.JOBS, WorkloadSuite.MEMBERS);

    private Suites() {}

    private static Stream<Suite> every() {
        return Stream.concat(ALL.stream(), BY_NAME.stream());
    }

    /**
     * Returns the named suites in order, each once; all without names.
     *
     * @throws IllegalArgumentException that lists the suites for an unknown name
     */
    static List<Suite> named(List<String> names) {
        if (names.isEmpty()) {
            return ALL;
        }
        Map<String, Suite> byName = every().collect(Collectors.toMap(Suite::name, suite -> suite));
        List<Suite> chosen = new ArrayList<>();
        for (String name : names) {
            Suite suite = byName.get(name);
            if (suite == null) {
                throw new IllegalArgumentException("unknown suite " + name + "; known: " + names());
            } else if (!chosen.contains(suite)) {
                chosen.add(suite);
            }
        }
        return chosen;
    }

    /** Returns the names of the suites with targets, without that of operations, which needs a device. */
    static List<String> ofTargets() {
        return every().map(Suite::name)
                .filter(name -> !name.equals(TransportSuite.NAME))
                .toList();
    }

    static String names() {
        return every().map(Suite::name).collect(Collectors.joining(", "));
    }
}
