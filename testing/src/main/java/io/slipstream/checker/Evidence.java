// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.Outcome;
import io.slipstream.history.ValueId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Formats facts as text. */
final class Evidence {
    private static final int NEIGHBOURS = 2;

    private final Facts facts;

    Evidence(Facts facts) {
        this.facts = facts;
    }

    /** Formats a time as seconds after the first event. */
    String at(long ns) {
        return ns == SendColumns.NEVER ? "never" : String.format(Locale.ROOT, "+%.6f s", (ns - facts.firstNs) / 1e9);
    }

    /** Describes the send of a value and its outcome. */
    String send(long value) {
        SendColumns sends = facts.senderOf(value);
        if (sends == null) {
            return ValueId.text(value) + " was sent by nobody";
        }
        int sequence = ValueId.sequence(value);
        Outcome outcome = sends.outcome(sequence);
        StringBuilder text = new StringBuilder(ValueId.text(value))
                .append(" sent to ")
                .append(facts.partition(sends.partition(sequence)).name)
                .append(" at ")
                .append(at(sends.invokedNs(sequence)))
                .append(" (")
                .append(sends.kind.name().toLowerCase(Locale.ROOT))
                .append(", acks=")
                .append(sends.acks == -1 ? "all" : Integer.toString(sends.acks))
                .append("), ")
                .append(outcome.name().toLowerCase(Locale.ROOT));
        if (outcome == Outcome.OK) {
            text.append(" with offset ").append(sends.ackedOffset(sequence));
        }
        if (sends.completedNs(sequence) != SendColumns.NEVER) {
            text.append(" at ").append(at(sends.completedNs(sequence)));
        }
        Transactions.One transaction = facts.transactionOf(sends, sequence);
        if (transaction != null) {
            text.append(", transaction ")
                    .append(sends.transaction(sequence))
                    .append(' ')
                    .append(transaction.state.name().toLowerCase(Locale.ROOT));
        }
        return text.toString();
    }

    List<String> sends(long... values) {
        List<String> lines = new ArrayList<>();
        for (long value : values) {
            lines.add(send(value));
        }
        return lines;
    }

    /** Describes the observed surroundings of an offset. */
    String log(int partition, long offset) {
        StringBuilder text = new StringBuilder(facts.partition(partition).name)
                .append(" around ")
                .append(offset)
                .append(':');
        for (long i = Math.max(0, offset - NEIGHBOURS); i <= offset + NEIGHBOURS; i++) {
            long value = facts.partition(partition).versions.get(i);
            text.append(' ').append(i).append('=').append(value == ValueId.NONE ? "?" : ValueId.text(value));
        }
        return text.toString();
    }
}
