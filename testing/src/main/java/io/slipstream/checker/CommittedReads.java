// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.ClientEvent.Polled;
import io.slipstream.history.Event;
import io.slipstream.history.ValueId;
import java.util.List;
import java.util.Set;

/**
 * I14: a read_committed consumer receives no record of an aborted transaction, and no record of a transaction before
 * its commit was requested.
 */
final class CommittedReads implements Check {
    private final Facts facts;
    private final Findings findings;
    private final Evidence evidence;

    CommittedReads(Facts facts, Findings findings) {
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
        if (!facts.consumer(polled.consumer()).readCommitted()) {
            return;
        }
        for (int i = 0; i < polled.records().size(); i++) {
            long value = polled.records().value(i);
            SendColumns sends = facts.senderOf(value);
            Transactions.One transaction = sends == null ? null : facts.transactionOf(sends, ValueId.sequence(value));
            if (transaction == null) {
                continue;
            }
            findings.checked(Invariant.I14, 1);
            if (transaction.state == TransactionState.ABORTED) {
                report("G1a", polled, i, "its transaction was aborted");
            } else if (transaction.state == TransactionState.OPEN || transaction.commitInvokedNs > polled.atNs()) {
                report("precommitted-read", polled, i, "nobody had asked for the commit of its transaction");
            }
        }
    }

    private void report(String name, Polled polled, int i, String why) {
        long value = polled.records().value(i);
        long offset = polled.records().offset(i);
        String who = facts.consumer(polled.consumer()).name();
        findings.add(
                Invariant.I14,
                name,
                facts.partition(polled.partition()).name,
                facts,
                value,
                who + " was given " + ValueId.text(value) + " at offset " + offset + ", but " + why,
                () -> List.of(
                        evidence.send(value),
                        "polled at " + evidence.at(polled.atNs()),
                        evidence.log(polled.partition(), offset)));
    }
}
