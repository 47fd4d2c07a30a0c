// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

/**
 * The wr_id of a native work request. A failed completion tells little else, so the request is looked up by it. The
 * generation identifies completions of queue pairs that are already destroyed.
 *
 * <pre>
 *   bits 63..40 generation of the queue pair   39..24 its index in the completion queue   23..22 kind   21..0 slot
 * </pre>
 */
final class WorkRequestId {
    static final int SEND = 0;
    static final int RECEIVE = 1;
    static final int KEEP_ALIVE = 2;

    static final int MAX_SLOTS = 1 << 22;
    static final int MAX_QUEUE_PAIRS = 1 << 16;
    static final int GENERATIONS = 1 << 24;

    private WorkRequestId() {}

    /** The identifier of slot 0 and kind SEND. */
    static long base(int generation, int index) {
        return (long) generation << 40 | (long) index << 24;
    }

    static long of(long base, int kind, int slot) {
        return base | (long) kind << 22 | slot;
    }

    static int generation(long id) {
        return (int) (id >>> 40);
    }

    static int index(long id) {
        return (int) (id >>> 24) & (MAX_QUEUE_PAIRS - 1);
    }

    static int kind(long id) {
        return (int) (id >>> 22) & 3;
    }

    static int slot(long id) {
        return (int) id & (MAX_SLOTS - 1);
    }
}
