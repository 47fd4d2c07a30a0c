// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.ClientEvent.TransactionEnded;
import io.slipstream.history.ClientEvent.TransactionOffsetsSent;
import io.slipstream.history.Outcome;
import java.util.ArrayList;
import java.util.List;

/** The transactions of one producer, by number. */
final class Transactions {
    private final List<One> all = new ArrayList<>();

    /** One transaction. */
    static final class One {
        TransactionState state = TransactionState.OPEN;
        /** Time of the first commit request; NEVER without one. */
        long commitInvokedNs = SendColumns.NEVER;
        /** Time at which the end was known. */
        long endedNs = SendColumns.NEVER;

        final List<TransactionOffsetsSent> offsets = new ArrayList<>();
    }

    One get(int transaction) {
        while (all.size() <= transaction) {
            all.add(new One());
        }
        return all.get(transaction);
    }

    int count() {
        return all.size();
    }

    /**
     * A transaction with a requested abort and no requested commit can only be aborted. The same holds after a definite
     * failure of the commit.
     */
    void end(TransactionEnded event) {
        One one = get(event.transaction());
        if (event.commit()) {
            one.commitInvokedNs = Math.min(one.commitInvokedNs, event.invokedNs());
        }
        if (event.commit() && event.outcome() == Outcome.OK) {
            one.state = TransactionState.COMMITTED;
        } else if (event.commit() && event.outcome() == Outcome.UNKNOWN && one.state != TransactionState.COMMITTED) {
            one.state = TransactionState.UNKNOWN;
        } else if (one.state == TransactionState.OPEN) {
            one.state = TransactionState.ABORTED;
        }
        one.endedNs = event.outcome() == Outcome.UNKNOWN ? SendColumns.NEVER : event.atNs();
    }
}
