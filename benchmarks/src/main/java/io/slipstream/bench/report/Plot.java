// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The contents of a plot.
 *
 * @param name file name without extension
 */
public record Plot(String name, String title, Axis x, Axis y, List<Line> lines) {
    /** @param logarithmic requires values above 0 */
    public record Axis(String title, boolean logarithmic) {
        public static Axis linear(String title) {
            return new Axis(title, false);
        }

        public static Axis logarithmic(String title) {
            return new Axis(title, true);
        }
    }

    /** @param y as many values as {@code x} */
    public record Line(String label, List<Double> x, List<Double> y) {}

    /**
     * Returns a line per side with the metric, over a parameter of the subjects. Omits results without the parameter.
     */
    public static Plot over(
            String name, String title, String parameter, Axis x, Metric metric, Axis y, List<Result> results) {
        Map<Side, TreeMap<Double, Double>> bySide = new LinkedHashMap<>();
        for (Result result : results) {
            Long at = result.subject().parameters().get(parameter);
            Figure figure = result.figure(metric);
            if (at != null && figure != null && !(y.logarithmic() && figure.value() <= 0)) {
                bySide.computeIfAbsent(result.side(), side -> new TreeMap<>()).put(at.doubleValue(), figure.value());
            }
        }
        List<Line> lines = new ArrayList<>();
        bySide.forEach((side, points) ->
                lines.add(new Line(side.label(), List.copyOf(points.keySet()), List.copyOf(points.values()))));
        return new Plot(name, title, x, y, lines);
    }

    /**
     * Returns a curve through measured pairs, in the order of the parameter, for example throughput and latency over
     * the load.
     */
    public static Plot curve(
            String name,
            String title,
            String parameter,
            Metric xMetric,
            Axis x,
            Metric yMetric,
            Axis y,
            List<Result> results) {
        Map<Side, TreeMap<Long, Result>> bySide = new LinkedHashMap<>();
        for (Result result : results) {
            Long at = result.subject().parameters().get(parameter);
            if (at != null && result.figure(xMetric) != null && result.figure(yMetric) != null) {
                bySide.computeIfAbsent(result.side(), side -> new TreeMap<>()).put(at, result);
            }
        }
        List<Line> lines = new ArrayList<>();
        bySide.forEach((side, points) -> lines.add(new Line(
                side.label(),
                points.values().stream()
                        .map(each -> each.figure(xMetric).value())
                        .toList(),
                points.values().stream()
                        .map(each -> each.figure(yMetric).value())
                        .toList())));
        return new Plot(name, title, x, y, lines);
    }

    /** Returns whether a line has more than one point. */
    public boolean isWorthDrawing() {
        return lines.stream().anyMatch(line -> line.x().size() > 1);
    }
}
