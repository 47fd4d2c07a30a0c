// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A run as JSON. Readers check {@code schema} first; an incompatible change increments it. */
public final class JsonFile {
    static final String SCHEMA = "slipstream-bench/1";

    private final ObjectMapper mapper = new ObjectMapper();

    public void write(Run run, Path file) throws IOException {
        Path directory = file.toAbsolutePath().getParent();
        Files.createDirectories(directory);
        mapper.writerWithDefaultPrettyPrinter().writeValue(file.toFile(), toJson(run));
    }

    ObjectNode toJson(Run run) {
        ObjectNode root = mapper.createObjectNode();
        root.put("schema", SCHEMA);
        root.put("commit", run.commit().hash());
        root.put("changed", run.commit().isChanged());
        run.machine().forEach(root.putObject("machine")::put);
        run.settings().forEach(root.putObject("settings")::put);
        run.sentences().forEach(root.putObject("suites")::put);
        var results = root.putArray("results");
        run.results().forEach(result -> put(results.addObject(), result));
        var targets = root.putArray("targets");
        run.verdicts().forEach(verdict -> put(targets.addObject(), verdict));
        ObjectNode counts = root.putObject("verdicts");
        run.counts().forEach((status, count) -> counts.put(status.label(), count));
        var plots = root.putArray("plots");
        run.plots().forEach(plot -> put(plots.addObject(), plot));
        return root;
    }

    private static void put(ObjectNode node, Result result) {
        Subject subject = result.subject();
        node.put("suite", subject.suite()).put("workload", subject.workload()).put("label", subject.label());
        ObjectNode parameters = node.putObject("parameters");
        subject.parameters().forEach(parameters::put);
        node.put("way", result.side().id());
        ObjectNode figures = node.putObject("figures");
        result.figures().forEach((metric, figure) -> put(figures.putObject(metric.key()), figure));
    }

    private static void put(ObjectNode node, Figure figure) {
        node.put("value", figure.value());
        if (figure.hasSpread()) {
            node.put("lowest", figure.lowest()).put("highest", figure.highest());
        }
    }

    private static void put(ObjectNode node, Verdict verdict) {
        Target target = verdict.target();
        node.put("experiment", target.experiment())
                .put("workload", target.workload())
                .put("figure", target.metric().key())
                .put("wanted", target.wanted())
                .put("limit", target.limit())
                .put("status", verdict.status().label());
        if (verdict.figure() != null) {
            put(node.putObject("seen"), verdict.figure());
        }
    }

    private static void put(ObjectNode node, Plot plot) {
        node.put("name", plot.name()).put("title", plot.title());
        node.put("x", plot.x().title()).put("y", plot.y().title());
        var lines = node.putArray("lines");
        for (Plot.Line line : plot.lines()) {
            ObjectNode added = lines.addObject().put("label", line.label());
            addAll(added, "x", line.x());
            addAll(added, "y", line.y());
        }
    }

    private static void addAll(ObjectNode node, String name, List<Double> values) {
        var array = node.putArray(name);
        values.forEach(array::add);
    }
}
