// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.slipstream.faults.judge.Service;
import io.slipstream.faults.schedule.FaultClass;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;

/** The final table for programs, and each seed in each arm. Times are in nanoseconds. */
final class FaultsJson {
    private final ObjectMapper mapper = new ObjectMapper();
    private final Totals totals;

    FaultsJson(Totals totals) {
        this.totals = totals;
    }

    void write(Machine machine, Path file) {
        ObjectNode root = mapper.createObjectNode();
        root.put("seeds", totals.seeds().size());
        root.put("overlapping", totals.overlapping());
        root.put("red", totals.red());
        root.put("histories", totals.histories());
        root.put("faults", totals.carriedOut());
        root.put("acknowledged", totals.acknowledged());
        root.put("polled", totals.polled());
        ObjectNode byClass = root.putObject("faultsByClass");
        for (FaultClass faultClass : FaultClass.values()) {
            byArm(byClass.putObject(faultClass.label()), totals.faults(faultClass, FaultOutcome.State.CARRIED_OUT));
        }
        ObjectNode skipped = root.putObject("skipped");
        machine.obstacles().forEach((faultClass, why) -> skipped.put(faultClass.label(), why));
        ObjectNode anomalies = root.putObject("anomalies");
        totals.anomalies().forEach((kind, counts) -> byArm(anomalies.putObject(kind), counts));
        ObjectNode tolerated = root.putObject("tolerated");
        totals.tolerated().forEach((kind, counts) -> byArm(tolerated.putObject(kind), counts));
        times(root.putObject("afterReturnTcp"), totals.afterReturn(Arm.TCP));
        times(root.putObject("afterReturnRdma"), totals.afterReturn(Arm.RDMA));
        times(root.putObject("afterLossAtRest"), totals.afterLossAtRest());
        times(root.putObject("afterLoss"), totals.afterLoss());
        ArrayNode runs = root.putArray("runs");
        totals.seeds().forEach(seed -> run(runs.addObject(), seed));
        try {
            mapper.writerWithDefaultPrettyPrinter().writeValue(file.toFile(), root);
        } catch (IOException e) {
            throw new UncheckedIOException("--json: cannot write " + file, e);
        }
    }

    private void run(ObjectNode node, SeedResult seed) {
        node.put("seed", seed.schedule().seed());
        node.put("topology", seed.schedule().topology().toString());
        node.put("overlapping", seed.schedule().overlapping());
        ArrayNode differences = node.putArray("differences");
        seed.differences().forEach(differences::add);
        ArrayNode seenOnce = node.putArray("seenOnce");
        seed.seenOnce().forEach(seenOnce::add);
        ObjectNode arms = node.putObject("arms");
        seed.arms().forEach((arm, result) -> {
            ObjectNode one = arms.putObject(arm.name().toLowerCase(Locale.ROOT));
            one.put("faults", result.carriedOut());
            one.put("acknowledged", result.acknowledged());
            one.put("polled", result.polled());
            one.put("recordsByRdma", result.byRdma());
            one.put("excusedBySkippedMarkers", result.judgement().anomalies().excused());
            one.put("duplicates", result.judgement().duplicates().records());
            one.put("elapsedNs", result.elapsedNs());
            ObjectNode anomalies = one.putObject("anomalies");
            result.report().counts().forEach(anomalies::put);
            ObjectNode tolerated = one.putObject("tolerated");
            result.report().tolerated().forEach(tolerated::put);
            ObjectNode facts = one.putObject("factsChecked");
            result.report().checked().forEach((invariant, count) -> facts.put(invariant.name(), count));
            ArrayNode faults = one.putArray("outcomes");
            result.outcomes().forEach(outcome -> outcome(faults.addObject(), outcome, result));
        });
    }

    private static void outcome(ObjectNode node, FaultOutcome outcome, ArmResult result) {
        node.put("fault", outcome.number());
        node.put("class", outcome.faultClass().label());
        node.put("target", outcome.target());
        node.put("state", outcome.state().name());
        node.put("note", outcome.note());
        node.put("single", outcome.single());
        node.put("okOperations", outcome.okOperations());
        node.put("unavailableNs", outcome.unavailableNs());
        result.judgement().service().windows().stream()
                .filter(window -> window.fault() == outcome.number())
                .forEach(window -> {
                    node.put("durationNs", window.durationNs());
                    clients(node.putObject("clients"), window);
                });
    }

    private static void clients(ObjectNode node, Service.Window window) {
        window.clients()
                .forEach((name, client) -> node.putObject(name)
                        .put("kind", client.kind().toString())
                        .put("operations", client.operations())
                        .put("silenceNs", client.silenceNs())
                        .put("recoveryNs", client.recoveryNs())
                        .put("recovered", client.recovered())
                        .put("waitNs", client.waitNs()));
    }

    private static void byArm(ObjectNode node, Map<Arm, Long> counts) {
        counts.forEach((arm, count) -> node.put(arm.name().toLowerCase(Locale.ROOT), count));
    }

    private static void times(ObjectNode node, Totals.Times times) {
        node.put("count", times.count());
        node.put("medianNs", times.medianNs());
        node.put("p99Ns", times.p99Ns());
        node.put("maxNs", times.maxNs());
        node.put("shareWithinGoal", times.shareWithin());
    }
}
