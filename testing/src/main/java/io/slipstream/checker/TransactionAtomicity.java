// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.ValueId;
import java.util.List;

/**
 * I13: the values of a transaction are all committed or all aborted. The client's view, the markers in the logs and a
 * final read_committed read must agree.
 */
final class TransactionAtomicity implements Check {
    private final Facts facts;
    private final Findings findings;
    private final Evidence evidence;

    TransactionAtomicity(Facts facts, Findings findings) {
        this.facts = facts;
        this.findings = findings;
        evidence = new Evidence(facts);
    }

    @Override
    public void conclude() {
        for (SendColumns sends : facts.producers) {
            Verdicts verdicts = new Verdicts();
            for (int sequence = 0; sequence < sends.end(); sequence++) {
                int transaction = sends.transaction(sequence);
                if (transaction >= 0 && sends.isInvoked(sequence)) {
                    verdicts.next(sends, sequence, transaction);
                }
            }
        }
    }

    /** State of one producer. Its transactions are sequential, so it keeps only one. */
    private final class Verdicts {
        private int transaction = -1;
        private long committed = ValueId.NONE;
        private long aborted = ValueId.NONE;

        void next(SendColumns sends, int sequence, int number) {
            if (number != transaction) {
                transaction = number;
                committed = ValueId.NONE;
                aborted = ValueId.NONE;
                findings.checked(Invariant.I13, 1);
            }
            PartitionFacts partition = facts.partition(sends.partition(sequence));
            if (partition.isDeleted() || partition.mayBeGone(sends.seenOffset(sequence), facts.lastNs)) {
                return;
            }
            long value = ValueId.of(sends.producer, sequence);
            boolean dumped = sends.replicas(sequence) != 0;
            boolean seen = sends.has(sequence, SendColumns.READ_COMMITTED_AT_END);
            boolean visible = dumped ? sends.has(sequence, SendColumns.COMMITTED_IN_LOG) : seen;
            boolean hidden = dumped
                    ? !sends.has(sequence, SendColumns.COMMITTED_IN_LOG)
                    : sends.isOk(sequence) && partition.finallyReadCommitted && !seen && partition.reference() == null;
            if (dumped
                    && sends.has(sequence, SendColumns.COMMITTED_IN_LOG)
                    && partition.finallyReadCommitted
                    && !seen) {
                report(
                        sends,
                        "torn-txn",
                        value,
                        "its transaction is committed in the log, but a final read with read_committed did not return it",
                        value);
                return;
            }
            TransactionState state = facts.transactionOf(sends, sequence).state;
            if (hidden && state == TransactionState.COMMITTED) {
                report(sends, "torn-txn", value, "its transaction was committed, but it is not", value);
            } else if (dumped && visible && (state == TransactionState.ABORTED || state == TransactionState.OPEN)) {
                report(sends, "torn-txn", value, "its transaction was not committed, but it is", value);
            } else if (state == TransactionState.UNKNOWN) {
                committed = visible ? value : committed;
                aborted = hidden ? value : aborted;
                if (committed != ValueId.NONE && aborted != ValueId.NONE) {
                    report(
                            sends,
                            "torn-txn",
                            committed,
                            "it is committed, but " + ValueId.text(aborted) + " of its transaction is not",
                            committed,
                            aborted);
                    committed = ValueId.NONE;
                    aborted = ValueId.NONE;
                }
            }
        }
    }

    private void report(SendColumns sends, String name, long value, String what, long... values) {
        int partition = sends.partition(ValueId.sequence(value));
        String where = facts.partition(partition).name;
        findings.add(Invariant.I13, name, where, facts, value, ValueId.text(value) + ": " + what, () -> {
            List<String> lines = evidence.sends(values);
            lines.add(evidence.log(partition, sends.seenOffset(ValueId.sequence(value))));
            return lines;
        });
    }
}
