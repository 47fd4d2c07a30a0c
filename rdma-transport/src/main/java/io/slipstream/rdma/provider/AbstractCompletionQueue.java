// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.provider;

import io.slipstream.rdma.CompletionQueue;

/** The owner thread of a completion queue, its counters, and the accounting of its capacity. */
public abstract class AbstractCompletionQueue implements CompletionQueue {
    public final OwnerActivity activity = new OwnerActivity();
    public final CounterBlock counters = new CounterBlock();
    protected final int capacity;
    protected volatile boolean closed;
    /** Sum of the depths of the queue pairs; guarded by this. */
    private int reserved;

    private Thread owner;

    protected AbstractCompletionQueue(int capacity) {
        this.capacity = capacity;
    }

    /** For assertions. The first thread that posts or polls becomes the owner. */
    public final boolean isOwnedByCaller() {
        Thread caller = Thread.currentThread();
        if (owner == null) {
            owner = caller;
        }
        return owner == caller;
    }

    /** The message of a failed {@link #isOwnedByCaller} assertion. */
    public final String notOwned() {
        return "used by " + Thread.currentThread() + ", owned by " + owner;
    }

    @Override
    public final void handOver() {
        assert isOwnedByCaller() : notOwned();
        owner = null;
    }

    /**
     * Reserves room for the depths of a queue pair. Throws IllegalArgumentException if the capacity does not suffice,
     * and IllegalStateException if this queue is closed.
     *
     * @param leftovers completions that closed queue pairs may have left behind
     */
    public final synchronized void reserve(int depths, int leftovers) {
        if (closed) {
            throw new IllegalStateException("completion queue is closed");
        }
        int taken = reserved + leftovers;
        if (taken + depths > capacity) {
            throw new IllegalArgumentException("completion queue of capacity " + capacity + " has " + taken
                    + " taken and cannot hold " + depths + " more");
        }
        reserved += depths;
    }

    public final synchronized void unreserve(int depths) {
        reserved -= depths;
    }
}
