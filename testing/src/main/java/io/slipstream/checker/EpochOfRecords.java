// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.ClientEvent.Polled;
import io.slipstream.history.Event;
import io.slipstream.history.RecordRun;
import io.slipstream.history.ValueId;
import java.util.List;
import java.util.Set;

/** I9: a record read under a leader epoch is in the final log under the same epoch. */
final class EpochOfRecords implements Check {
    private final Facts facts;
    private final Findings findings;
    private final Evidence evidence;

    EpochOfRecords(Facts facts, Findings findings) {
        this.facts = facts;
        this.findings = findings;
        evidence = new Evidence(facts);
    }

    @Override
    public Set<Class<? extends Event>> interests() {
        return Set.of(Polled.class);
    }

    @Override
    public void visit(Event event) {
        Polled polled = (Polled) event;
        PartitionFacts partition = facts.partition(polled.partition());
        ReplicaLog log = partition.reference();
        RecordRun records = polled.records();
        if (log == null || partition.isDeleted() || records.size() == 0) {
            return;
        }
        findings.checked(Invariant.I9, records.size());
        int batch = log.batchOf(records.offset(0));
        for (int i = 0; i < records.size(); i++) {
            long offset = records.offset(i);
            if (offset >= log.header.logEnd()) {
                report("truncated-read", polled, i, "the final log ends at " + log.header.logEnd());
                continue;
            }
            if (batch < 0 || offset < log.base(batch)) {
                batch = log.batchOf(offset);
            }
            while (batch + 1 < log.size() && batch >= 0 && log.base(batch + 1) <= offset) {
                batch++;
            }
            int epoch = records.leaderEpoch(i);
            if (batch >= 0 && epoch >= 0 && log.epoch(batch) != epoch && !partition.mayBeGone(offset, facts.lastNs)) {
                report("other-epoch", polled, i, "the final log has epoch " + log.epoch(batch) + " there");
            }
        }
    }

    private void report(String name, Polled polled, int i, String why) {
        long offset = polled.records().offset(i);
        long value = polled.records().value(i);
        String who = facts.consumer(polled.consumer()).name();
        findings.add(
                Invariant.I9,
                name,
                facts.partition(polled.partition()).name,
                who + " read " + ValueId.text(value) + " at offset " + offset + " under epoch "
                        + polled.records().leaderEpoch(i) + ", but " + why,
                () -> List.of(evidence.send(value), "polled at " + evidence.at(polled.atNs())));
    }
}
