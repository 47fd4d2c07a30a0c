// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.ValueId;
import java.util.List;

/**
 * I1 and I7: locates each acknowledged value at the end. A value missing in a log is lost; a value in the logs but not
 * in the final read is unseen.
 */
final class AcknowledgedSends implements Check {
    private final Facts facts;
    private final Findings findings;
    private final Evidence evidence;

    AcknowledgedSends(Facts facts, Findings findings) {
        this.facts = facts;
        this.findings = findings;
        evidence = new Evidence(facts);
    }

    @Override
    public void conclude() {
        long dumped = 0;
        long read = 0;
        for (SendColumns sends : facts.producers) {
            for (int sequence = 0; sequence < sends.end(); sequence++) {
                if (!isClaimed(sends, sequence)) {
                    continue;
                }
                PartitionFacts partition = facts.partition(sends.partition(sequence));
                boolean hasDump = partition.reference() != null;
                boolean isRead = partition.finallyRead || partition.finallyReadCommitted;
                dumped += hasDump ? 1 : 0;
                read += isRead ? 1 : 0;
                if (hasDump && sends.replicas(sequence) != partition.allReplicas()) {
                    lost(sends, sequence, "is missing in the log of node " + missingNodes(sends, sequence, partition));
                } else if (isRead && !isSeen(sends, sequence, partition)) {
                    if (hasDump) {
                        unseen(sends, sequence);
                    } else {
                        lost(sends, sequence, "was never read from zero");
                    }
                }
            }
        }
        findings.checked(Invariant.I1, dumped > 0 ? dumped : read);
        findings.checked(Invariant.I7, read);
    }

    /** With acks=1 a later leader change may lose the value. */
    private boolean isClaimed(SendColumns sends, int sequence) {
        if (!sends.isInvoked(sequence) || !sends.isOk(sequence) || sends.acks == 0) {
            return false;
        }
        PartitionFacts partition = facts.partition(sends.partition(sequence));
        return !partition.isLawless()
                && !partition.mayBeGone(sends.ackedOffset(sequence), facts.lastNs)
                && (sends.acks == -1 || !partition.mayHaveChangedLeader(sends.invokedNs(sequence)));
    }

    /** I13 checks the values of transactions for read_committed. */
    private boolean isSeen(SendColumns sends, int sequence, PartitionFacts partition) {
        boolean plain = sends.transaction(sequence) < 0;
        return (!partition.finallyRead || sends.has(sequence, SendColumns.READ_AT_END))
                && (!plain
                        || !partition.finallyReadCommitted
                        || sends.has(sequence, SendColumns.READ_COMMITTED_AT_END));
    }

    private String missingNodes(SendColumns sends, int sequence, PartitionFacts partition) {
        StringBuilder nodes = new StringBuilder();
        for (ReplicaLog log : partition.inSync) {
            if ((sends.replicas(sequence) & log.bit) == 0) {
                nodes.append(nodes.isEmpty() ? "" : ", ").append(log.header.node());
            }
        }
        return nodes.toString();
    }

    private void lost(SendColumns sends, int sequence, String how) {
        report(Invariant.I1, "lost-write", sends, sequence, "was acknowledged and " + how);
    }

    private void unseen(SendColumns sends, int sequence) {
        report(
                Invariant.I7,
                "unseen",
                sends,
                sequence,
                "is in the log, but a read from zero after the last fault did not return it");
    }

    private void report(Invariant invariant, String name, SendColumns sends, int sequence, String what) {
        long value = ValueId.of(sends.producer, sequence);
        int partition = sends.partition(sequence);
        findings.add(
                invariant,
                name,
                facts.partition(partition).name,
                facts,
                value,
                ValueId.text(value) + " " + what,
                () -> List.of(evidence.send(value), evidence.log(partition, sends.ackedOffset(sequence))));
    }
}
