// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.BrokerEvent.BatchDumped;
import io.slipstream.history.DumpKind;
import io.slipstream.history.Event;
import io.slipstream.history.ValueId;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * I18: a log recovered from a crash image contains every record acknowledged before the image, no record sent after it,
 * and no torn batch.
 */
final class CrashRecovery implements Check {
    private final Facts facts;
    private final Findings findings;
    private final Evidence evidence;
    /** Sequences found, by dump and producer. */
    private final Map<Integer, Map<Integer, BitSet>> found = new HashMap<>();

    CrashRecovery(Facts facts, Findings findings) {
        this.facts = facts;
        this.findings = findings;
        evidence = new Evidence(facts);
    }

    @Override
    public Set<Class<? extends Event>> interests() {
        return Set.of(BatchDumped.class);
    }

    @Override
    public void visit(Event event) {
        BatchDumped batch = (BatchDumped) event;
        ReplicaLog log = facts.dumps.get(batch.dump());
        boolean image = log.header.kind() == DumpKind.CRASH_IMAGE;
        if (image && !batch.crcValid()) {
            report("torn-batch", log, "recovery kept the batch at " + batch.baseOffset() + ", which is not whole");
        }
        for (int i = 0; i < batch.records().size(); i++) {
            long value = batch.records().value(i);
            SendColumns sends = facts.senderOf(value);
            if (sends == null) {
                continue; // I2 reports it
            }
            int sequence = ValueId.sequence(value);
            if (image) {
                found.computeIfAbsent(batch.dump(), any -> new HashMap<>())
                        .computeIfAbsent(sends.producer, any -> new BitSet())
                        .set(sequence);
                if (sends.invokedNs(sequence) > log.header.asOfNs()) {
                    report(
                            "invented-by-recovery",
                            log,
                            ValueId.text(value) + " was sent after the image was taken",
                            value);
                }
            }
        }
    }

    @Override
    public void conclude() {
        for (int dump = 0; dump < facts.dumps.size(); dump++) {
            ReplicaLog log = facts.dumps.get(dump);
            if (log.header.kind() == DumpKind.CRASH_IMAGE) {
                seekLost(log, found.getOrDefault(dump, Map.of()));
            }
        }
    }

    private void seekLost(ReplicaLog log, Map<Integer, BitSet> values) {
        int partition = log.header.partition();
        for (SendColumns sends : facts.producers) {
            BitSet sequences = values.getOrDefault(sends.producer, new BitSet());
            for (int sequence = 0; sends.acks == -1 && sequence < sends.end(); sequence++) {
                boolean claimed = sends.partition(sequence) == partition
                        && sends.isOk(sequence)
                        && sends.completedNs(sequence) < log.header.asOfNs()
                        && !facts.partition(partition).mayBeGone(sends.ackedOffset(sequence), log.header.asOfNs());
                findings.checked(Invariant.I18, claimed ? 1 : 0);
                if (claimed && !sequences.get(sequence)) {
                    long value = ValueId.of(sends.producer, sequence);
                    report(
                            "lost-by-recovery",
                            log,
                            ValueId.text(value) + " was acknowledged before the image was taken and is gone",
                            value);
                }
            }
        }
    }

    private void report(String name, ReplicaLog log, String what, long... values) {
        findings.add(
                Invariant.I18,
                name,
                facts.partition(log.header.partition()).name + " of node " + log.header.node(),
                what,
                () -> {
                    List<String> lines = evidence.sends(values);
                    lines.add(log.header.toString());
                    return lines;
                });
    }
}
