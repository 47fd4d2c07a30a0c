// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

/**
 * What a work request is called towards the device. Of a failed request's completion only this and the status are defined, so all else is
 * looked up by it; the generation tells what a queue pair that is gone has left behind.
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

    /** Of slot 0 and kind SEND. */
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
