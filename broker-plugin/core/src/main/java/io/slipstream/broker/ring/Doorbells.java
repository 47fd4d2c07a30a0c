// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.ring;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Slots whose doorbell is to be rung, as a set of bits. A slot that is rung twice before the write is rung once, and
 * the set cannot overflow.
 */
final class Doorbells {
    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] words;
    private final int slots;

    Doorbells(int slots) {
        this.slots = slots;
        this.words = new long[(slots + Long.SIZE - 1) / Long.SIZE];
    }

    /** Any thread. */
    void ring(int slot) {
        if (slot < 0 || slot >= slots) {
            throw new IndexOutOfBoundsException("slot " + slot + " of " + slots);
        }
        WORD.getAndBitwiseOr(words, slot / Long.SIZE, 1L << slot);
    }

    /** Returns whether no slot is in the set. */
    boolean isEmpty() {
        for (int i = 0; i < words.length; i++) {
            if ((long) WORD.getAcquire(words, i) != 0) {
                return false;
            }
        }
        return true;
    }

    /** Owner thread: removes a slot from the set and returns it; -1 if the set is empty. */
    int poll() {
        for (int i = 0; i < words.length; i++) {
            long word = (long) WORD.getAcquire(words, i);
            if (word != 0) {
                int slot = i * Long.SIZE + Long.numberOfTrailingZeros(word);
                long bit = word & -word;
                WORD.getAndBitwiseAnd(words, i, ~bit);
                return slot;
            }
        }
        return -1;
    }
}
