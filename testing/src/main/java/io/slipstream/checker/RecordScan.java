// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.BrokerEvent.BatchDumped;
import io.slipstream.history.ClientEvent.Polled;
import io.slipstream.history.Event;
import io.slipstream.history.Outcome;
import io.slipstream.history.RecordRun;
import io.slipstream.history.ValueId;
import java.util.List;
import java.util.Set;

/**
 * I2 and I4: each polled or dumped record is a sent value whose send did not fail, in its right place and unchanged.
 */
final class RecordScan implements Check {
    private final Facts facts;
    private final Findings findings;
    private final Evidence evidence;

    RecordScan(Facts facts, Findings findings) {
        this.facts = facts;
        this.findings = findings;
        evidence = new Evidence(facts);
    }

    @Override
    public Set<Class<? extends Event>> interests() {
        return Set.of(Polled.class, BatchDumped.class);
    }

    @Override
    public void visit(Event event) {
        if (event instanceof Polled polled) {
            scan(polled.partition(), polled.records(), polled);
        } else if (event instanceof BatchDumped batch) {
            ReplicaLog log = facts.dumps.get(batch.dump());
            if (!batch.type().isControl()) {
                scan(log.header.partition(), batch.records(), batch);
            }
        }
    }

    private void scan(int partition, RecordRun records, Event source) {
        for (int i = 0; i < records.size(); i++) {
            int described = records.described(i);
            if (described == RecordRun.CORRUPT) {
                report(
                        Invariant.I4,
                        "corrupt-record",
                        partition,
                        records,
                        i,
                        source,
                        "carries a hash that is not its own");
                continue;
            }
            if (described == RecordRun.FOREIGN) {
                report(
                        Invariant.I4,
                        "foreign-record",
                        partition,
                        records,
                        i,
                        source,
                        "belongs to another cluster or topic");
                continue;
            }
            SendColumns sends = facts.senderOf(records.value(i));
            if (sends == null) {
                report(Invariant.I2, "invented-record", partition, records, i, source, "was never sent");
                continue;
            }
            int sequence = ValueId.sequence(records.value(i));
            if (described != partition || sends.partition(sequence) != partition) {
                report(
                        Invariant.I4,
                        "misplaced-record",
                        partition,
                        records,
                        i,
                        source,
                        "belongs to " + home(sends, sequence));
            } else if (sends.digest(sequence) != records.digest(i)) {
                report(Invariant.I4, "altered-record", partition, records, i, source, "has other bytes than were sent");
            } else if (sends.outcome(sequence) == Outcome.FAILED) {
                report(
                        Invariant.I2,
                        "G1a",
                        partition,
                        records,
                        i,
                        source,
                        "is there although its send failed for certain");
            }
        }
        findings.checked(Invariant.I2, records.size());
        findings.checked(Invariant.I4, records.size());
    }

    private String home(SendColumns sends, int sequence) {
        return facts.partition(sends.partition(sequence)).name;
    }

    private void report(
            Invariant invariant, String name, int partition, RecordRun records, int i, Event source, String what) {
        long value = records.value(i);
        long offset = records.offset(i);
        findings.add(
                invariant,
                name,
                facts.partition(partition).name,
                ValueId.text(value) + " at offset " + offset + " " + what,
                () -> List.of(evidence.send(value), seen(source), evidence.log(partition, offset)));
    }

    private String seen(Event source) {
        if (source instanceof Polled polled) {
            return "polled by " + facts.consumer(polled.consumer()).name() + " at " + evidence.at(polled.atNs());
        }
        BatchDumped batch = (BatchDumped) source;
        return "in the log of node " + facts.dumps.get(batch.dump()).header.node() + ", batch " + batch.baseOffset()
                + " to " + batch.lastOffset();
    }
}
