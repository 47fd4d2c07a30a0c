// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.ProducerKind;
import io.slipstream.history.ValueId;
import java.util.List;

/** I3: an offset has one value, and a value one offset, unless a client without sequences sent it again. */
final class OneValuePerOffset implements Check {
    private final Facts facts;
    private final Findings findings;
    private final Evidence evidence;

    OneValuePerOffset(Facts facts, Findings findings) {
        this.facts = facts;
        this.findings = findings;
        evidence = new Evidence(facts);
    }

    @Override
    public void conclude() {
        for (Conflict conflict : facts.conflicts) {
            if (facts.partition(conflict.partition()).isDeleted()) {
                continue;
            }
            if (conflict.kind().equals("duplicate") && isKafkasOwn(conflict)) {
                findings.tolerate("I3 duplicate-after-epoch-bump");
            } else if (conflict.kind().equals("duplicate")) {
                report(
                        conflict,
                        ValueId.text(conflict.value()) + " is at offsets " + conflict.other() + " and "
                                + conflict.offset(),
                        conflict.value());
            } else {
                report(
                        conflict,
                        "offset " + conflict.offset() + " has " + ValueId.text(conflict.other()) + " and "
                                + ValueId.text(conflict.value()),
                        conflict.other(),
                        conflict.value());
            }
        }
        for (SendColumns sends : facts.producers) {
            if (sends.acks != 0 && !sends.mayRepeat()) {
                compareWithAcknowledgements(sends);
            }
        }
        findings.checked(Invariant.I3, facts.observations);
    }

    private boolean isKafkasOwn(Conflict conflict) {
        ReplicaLog log = facts.partition(conflict.partition()).reference();
        SendColumns sends = facts.senderOf(conflict.value());
        return log != null
                && sends.kind == ProducerKind.IDEMPOTENT
                && log.isSentAgainUnderNewEpoch(conflict.offset(), conflict.other());
    }

    /**
     * Checks that the acknowledged offset is the value's offset. With acks=1, a former leader may have acknowledged
     * another one.
     */
    private void compareWithAcknowledgements(SendColumns sends) {
        for (int sequence = 0; sequence < sends.end(); sequence++) {
            long acked = sends.ackedOffset(sequence);
            long seen = sends.seenOffset(sequence);
            if (acked < 0 || seen < 0 || acked == seen || sends.has(sequence, SendColumns.DUPLICATED)) {
                continue;
            }
            int number = sends.partition(sequence);
            PartitionFacts partition = facts.partition(number);
            boolean claimed = sends.acks == -1 || !partition.mayHaveChangedLeader(sends.invokedNs(sequence));
            // The check above already reports another value at the acknowledged offset.
            boolean free = sends.acks != -1 || partition.versions.get(acked) == ValueId.of(sends.producer, sequence);
            if (claimed && free && !partition.isDeleted()) {
                report(
                        new Conflict(
                                "inconsistent-offsets",
                                number,
                                seen,
                                ValueId.of(sends.producer, sequence),
                                acked,
                                "read or dumped"),
                        ValueId.text(ValueId.of(sends.producer, sequence)) + " was acknowledged with offset " + acked
                                + " and is at " + seen,
                        ValueId.of(sends.producer, sequence));
            }
        }
    }

    private void report(Conflict conflict, String what, long... values) {
        findings.add(
                Invariant.I3,
                conflict.kind(),
                facts.partition(conflict.partition()).name,
                what + " (" + conflict.seenBy() + ")",
                () -> {
                    List<String> lines = evidence.sends(values);
                    lines.add(evidence.log(conflict.partition(), conflict.offset()));
                    return lines;
                });
    }
}
