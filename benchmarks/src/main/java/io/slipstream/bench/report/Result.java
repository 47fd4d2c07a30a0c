// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.report;

import java.util.Map;

/** All rounds of one subject on one side. */
public record Result(Subject subject, Side side, Map<Metric, Figure> figures) {
    /** Returns null if the metric was not measured. */
    public Figure figure(Metric metric) {
        return figures.get(metric);
    }
}
