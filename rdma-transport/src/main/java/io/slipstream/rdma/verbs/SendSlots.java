// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

/**
 * The slots of a send queue, used and freed in the order of posting. A device reports only signaled requests, and one
 * completion frees all slots up to its own. After a number of unsignaled requests the next one is signaled anyway, so
 * that they cannot fill the queue for good. Owner thread only.
 */
final class SendSlots {
    private final int depth;
    private final int mostUnsignaled;
    /** The slot of the next request, while there is room. */
    int next;
    /** The slot that {@link #retireOldest} frees. */
    int oldest;

    int outstanding;
    private int unsignaledInARow;

    SendSlots(int depth) {
        this.depth = depth;
        this.mostUnsignaled = (depth + 1) / 2;
    }

    boolean haveRoom(int requests) {
        return requests <= depth - outstanding;
    }

    /** Whether the next request must be signaled; {@code wanted}: the caller wants its completion. */
    boolean mustSignal(boolean wanted) {
        return wanted || unsignaledInARow + 1 >= mostUnsignaled;
    }

    /** The request in slot {@link #next} goes to the device. */
    void posted(boolean signaled) {
        unsignaledInARow = signaled ? 0 : unsignaledInARow + 1;
        next = after(next);
        outstanding++;
    }

    void retireOldest() {
        oldest = after(oldest);
        outstanding--;
    }

    private int after(int slot) {
        return slot + 1 < depth ? slot + 1 : 0;
    }
}
