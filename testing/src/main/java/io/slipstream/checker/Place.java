// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.ValueId;

/**
 * The place and the cause of one anomaly. An excuse names these, never only the kind.
 *
 * @param kind see {@link Anomaly#kind()}
 * @param where the affected partition, consumer, group …
 * @param transactionalId of the sender of the value; empty without a value or a transaction
 * @param producer sender of the value; -1 without a value
 * @param transaction the value's transaction; -1 without one
 * @param offset of the value in its log; -1 if unknown
 */
public record Place(String kind, String where, String transactionalId, int producer, int transaction, long offset) {
    static Place of(Invariant invariant, String name, String where) {
        return new Place(invariant + " " + name, where, "", -1, -1, -1);
    }

    /** Returns the place of an anomaly of this value. */
    static Place of(Invariant invariant, String name, String where, Facts facts, long value) {
        SendColumns sends = facts.senderOf(value);
        if (sends == null) {
            return of(invariant, name, where);
        }
        int sequence = ValueId.sequence(value);
        long offset = sends.seenOffset(sequence) >= 0 ? sends.seenOffset(sequence) : sends.ackedOffset(sequence);
        return new Place(
                invariant + " " + name,
                where,
                sends.transactionalId,
                sends.producer,
                sends.transaction(sequence),
                offset);
    }
}
