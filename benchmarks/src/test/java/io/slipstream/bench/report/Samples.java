// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.report;

import io.slipstream.bench.source.Commit;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Results as suites make them. */
final class Samples {
    static final Side ECHO = new Side("ECHO", "echo floor");

    private Samples() {}

    static Result of(String workload, Side side, Metric metric, Figure figure) {
        return sized(workload, side, 0, Map.of(metric, figure));
    }

    static Result sized(String workload, Side side, long recordBytes, Map<Metric, Figure> figures) {
        Map<String, Long> parameters = recordBytes == 0 ? Map.of() : Map.of(Subject.RECORD_BYTES, recordBytes);
        return new Result(
                new Subject("suite", workload, "label | of " + workload, parameters), side, new EnumMap<>(figures));
    }

    static Run run(List<Plot> plots, Result... results) {
        return new Run(
                new Commit("0123456789abcdef0123456789abcdef01234567", false),
                Map.of("kernel", "Linux 6"),
                Map.of("seeds", "1"),
                Map.of("suite", "what it is"),
                List.of(results),
                plots);
    }
}
