// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.Declaration.RunDeclared;
import io.slipstream.history.History;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Judges a history: a pure function. Reads it twice; needs about 60 bytes of heap for each send and a little for the rest, whatever the history's size on disk. I17 and I22 need two histories:
 * {@link ArmComparison}.
 *
 * <p>Measured with {@link CheckMain}: a synthetic clean history of ten million acknowledged sends, 39 million polled and 20 million dumped records (646 MB) is found clean in 59 s of wall time
 * on two cores that other builds kept busy (load 16), with -Xmx1500m; generation and check together took 23 s of processor time.
 */
public final class Checker {
    private Checker() {}

    public static Report check(History history) {
        Facts facts = FactsBuilder.build(history);
        Findings findings = new Findings();
        FaultWindows windows = new FaultWindows();
        Freshness freshness = new Freshness(facts);
        List<Check> checks = List.of(
                new AcknowledgedSends(facts, findings),
                new RecordScan(facts, findings),
                new OneValuePerOffset(facts, findings),
                new SendOrder(facts, findings),
                new PollOrder(facts, findings),
                new WatermarkBounds(facts, findings),
                new EpochOfRecords(facts, findings),
                new ReplicaEquality(facts, findings),
                new ResponseOrder(facts, findings),
                new GroupOffsets(facts, findings),
                new TransactionAtomicity(facts, findings),
                new CommittedReads(facts, findings),
                new ProducerFencing(facts, findings),
                new CopyExactness(facts, findings),
                new CrashRecovery(facts, findings),
                new LeaseSafety(findings),
                new SlotSafety(findings),
                new Residue(findings),
                freshness,
                windows);
        RunDeclared run = show(history, checks);
        checks.forEach(Check::conclude);
        return new Report(
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

    /** Shows every event to the checks that ask for its kind. */
    private static RunDeclared show(History history, List<Check> checks) {
        Map<Class<?>, Check[]> interested = new HashMap<>();
        RunDeclared[] run = {new RunDeclared("?", 0, "?")};
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
