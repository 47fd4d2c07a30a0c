// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.Declaration.RunDeclared;
import io.slipstream.history.History;
import io.slipstream.history.RunKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Checks a history; a pure function. It reads the history twice. It needs about 60 bytes of heap per send and little
 * for other events, whatever the size on disk.
 *
 * <p>Measured with {@link CheckMain}: a clean synthetic history of 10 million acknowledged sends, 39 million polled and
 * 20 million dumped records (646 MB). The check took 59 s of wall time with -Xmx1500m on two cores under load 16.
 * Generation and check together took 23 s of CPU time.
 */
public final class Checker {
    private Checker() {}

    public static Report check(History history) {
        return check(history, place -> {});
    }

    /** @param places receives the place of every anomaly */
    public static Report check(History history, Consumer<Place> places) {
        Facts facts = FactsBuilder.build(history);
        Findings findings = new Findings(places);
        FaultWindows windows = new FaultWindows();
        Freshness freshness = new Freshness(facts);
        List<Check> checks = List.of(
                new AcknowledgedSends(facts, findings),
                new RecordScan(facts, findings),
                new OneValuePerOffset(facts, findings),
                new SendOrder(facts, findings),
                new PollOrder(facts, findings),
                new WatermarkBounds(facts, findings),
                new LogStartBounds(facts, findings),
                new EpochOfRecords(facts, findings),
                new ReplicaEquality(facts, findings),
                new ResponseOrder(facts, findings),
                new GroupOffsets(facts, findings),
                new TransactionAtomicity(facts, findings),
                new CommittedReads(facts, findings),
                new ProducerFencing(facts, findings),
                new CopyExactness(facts, findings),
                new CrashRecovery(facts, findings),
                new Residue(findings),
                freshness,
                windows);
        RunDeclared run = show(history, checks);
        checks.forEach(Check::conclude);
        return new Report(
                run.kind(),
                run.arm(),
                run.seed(),
                Map.copyOf(findings.counts()),
                Map.copyOf(findings.tolerated()),
                List.copyOf(findings.kept()),
                Map.copyOf(findings.checked()),
                facts.events,
                facts.acknowledged,
                facts.polled,
                freshness.worstNs(),
                windows.windows(),
                windows.errors());
    }

    /** Passes every event to the checks that request its kind. */
    private static RunDeclared show(History history, List<Check> checks) {
        Map<Class<?>, Check[]> interested = new HashMap<>();
        RunDeclared[] run = {new RunDeclared(RunKind.SYNTHETIC, "?", 0, "?")};
        history.forEach(event -> {
            if (event instanceof RunDeclared declared) {
                run[0] = declared;
            }
            for (Check check : interested.computeIfAbsent(event.getClass(), kind -> interestedIn(kind, checks))) {
                check.visit(event);
            }
        });
        return run[0];
    }

    private static Check[] interestedIn(Class<?> kind, List<Check> checks) {
        List<Check> interested = new ArrayList<>();
        for (Check check : checks) {
            if (check.interests().contains(kind)) {
                interested.add(check);
            }
        }
        return interested.toArray(Check[]::new);
    }
}
