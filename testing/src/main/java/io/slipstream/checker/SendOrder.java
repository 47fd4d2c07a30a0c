// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.ValueId;
import java.util.Arrays;
import java.util.List;

/**
 * I5: within a partition, offsets follow each producer's order and real time. A value acknowledged before another send
 * started precedes that send.
 */
final class SendOrder implements Check {
    private final Facts facts;
    private final Findings findings;
    private final Evidence evidence;

    SendOrder(Facts facts, Findings findings) {
        this.facts = facts;
        this.findings = findings;
        evidence = new Evidence(facts);
    }

    @Override
    public void conclude() {
        for (int partition = 0; partition < facts.partitions.size(); partition++) {
            if (!facts.partition(partition).isDeleted()) {
                new Walk(partition).walk();
            }
        }
    }

    /** Walks over the offsets of one partition. */
    private final class Walk {
        private final int partition;
        private final int[] lastSequence = new int[facts.producers.size()];
        private long latestInvokedNs = Long.MIN_VALUE;
        private long latest = ValueId.NONE;
        private long count;

        Walk(int partition) {
            this.partition = partition;
            Arrays.fill(lastSequence, -1);
        }

        void walk() {
            SparseOffsets versions = facts.partition(partition).versions;
            versions.forEach(0, versions.end(), this::visit);
            findings.checked(Invariant.I5, count);
        }

        private void visit(long offset, long value) {
            SendColumns sends = facts.senderOf(value);
            int sequence = ValueId.sequence(value);
            if (sends == null || !sends.isOk(sequence) || sends.ackedOffset(sequence) != offset) {
                return;
            }
            count++;
            int last = lastSequence[sends.producer];
            if (sequence < last && Facts.isOrdered(sends)) {
                boolean sameTransaction =
                        sends.transaction(sequence) >= 0 && sends.transaction(sequence) == sends.transaction(last);
                report(
                        sameTransaction ? "int-nonmonotonic-send" : "nonmonotonic-send",
                        offset,
                        ValueId.of(sends.producer, last),
                        value,
                        "the producer sent it earlier");
            } else if (sends.completedNs(sequence) < latestInvokedNs && sends.acks == -1) {
                report("nonmonotonic-send", offset, latest, value, "it was acknowledged before the other was sent");
            }
            lastSequence[sends.producer] = Math.max(last, sequence);
            if (sends.invokedNs(sequence) > latestInvokedNs) {
                latestInvokedNs = sends.invokedNs(sequence);
                latest = value;
            }
        }

        private void report(String name, long offset, long before, long value, String why) {
            findings.add(
                    Invariant.I5,
                    name,
                    facts.partition(partition).name,
                    ValueId.text(value) + " at offset " + offset + " is behind " + ValueId.text(before) + ", but "
                            + why,
                    () -> List.of(evidence.send(value), evidence.send(before), evidence.log(partition, offset)));
        }
    }
}
