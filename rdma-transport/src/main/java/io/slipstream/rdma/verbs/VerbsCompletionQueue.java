// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import io.slipstream.rdma.WorkCompletion;
import io.slipstream.rdma.provider.AbstractCompletionQueue;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An ibv_cq with its completion channel. Completions are taken from the device in batches and assigned to queue pairs
 * by their {@link WorkRequestId}. Completions of unsignaled requests and of closed queue pairs are dropped.
 *
 * <p>The device's queue is larger than the requested capacity, because the provider posts requests of its own.
 */
final class VerbsCompletionQueue extends AbstractCompletionQueue {
    private static final Logger log = LoggerFactory.getLogger(VerbsCompletionQueue.class);
    private static final VerbsQueuePair[] NONE = {};
    private static final int BATCH = 32;

    final VerbsDevice device;
    private final NativeVerbs natives;
    private final long channel;
    final long queue;
    private final int eventFd;
    private final ByteBuffer batch = ByteBuffer.allocateDirect(BATCH * VerbsLayout.COMPLETION_BYTES);
    private final long batchAddress = BufferUtil.address(batch);

    private int queuePairCount;
    private int lastGeneration;
    /** Indexed by {@link WorkRequestId#index}. Free entries are reused. */
    private volatile VerbsQueuePair[] queuePairs = NONE;
    /** Number of completions that destroyed queue pairs may have left in the device's queue. */
    private final AtomicInteger leftovers = new AtomicInteger();

    VerbsCompletionQueue(VerbsDevice device, int capacity) throws IOException {
        super(capacity);
        this.device = device;
        this.natives = device.natives;
        this.channel = natives.createCompletionChannel(device.context);
        try {
            // One more for the keep-alive of each queue pair, which has at least two other requests.
            queue = natives.createCompletionQueue(device.context, channel, capacity + (capacity + 1) / 2);
        } catch (IOException e) {
            natives.destroyCompletionChannel(channel);
            throw e;
        }
        this.eventFd = natives.completionChannelFd(channel);
    }

    @Override
    public int poll(WorkCompletion[] completions) {
        assert isOwnedByCaller() : notOwned();
        activity.enter();
        try {
            return closed ? 0 : take(completions);
        } finally {
            activity.leave();
        }
    }

    private int take(WorkCompletion[] completions) {
        int leftBehind = leftovers.get();
        int filled = 0;
        while (filled < completions.length) {
            int wanted = Math.min(BATCH, completions.length - filled);
            int taken = takeBatch(wanted);
            for (int i = 0; i < taken; i++) {
                if (decode(batchAddress + (long) i * VerbsLayout.COMPLETION_BYTES, completions[filled])) {
                    filled++;
                }
            }
            if (taken < wanted) {
                if (leftBehind != 0) {
                    // The completions counted before this call have been taken.
                    leftovers.addAndGet(-leftBehind);
                }
                break;
            }
        }
        return filled;
    }

    private int takeBatch(int wanted) {
        try {
            return natives.poll(queue, wanted, batchAddress);
        } catch (IOException e) {
            fail(e.getMessage());
            return 0;
        }
    }

    /** Returns false if no queue pair reports this completion. */
    private boolean decode(long source, WorkCompletion completion) {
        long id = UnsafeApi.getLong(null, source + VerbsLayout.COMPLETION_WR_ID);
        VerbsQueuePair[] table = queuePairs;
        int index = WorkRequestId.index(id);
        VerbsQueuePair queuePair = index < table.length ? table[index] : null;
        if (queuePair == null || queuePair.generation != WorkRequestId.generation(id)) {
            return false;
        }
        return queuePair.complete(id, source, completion);
    }

    @Override
    public void arm() {
        tell(false);
    }

    /** Takes events, or asks for one. */
    private void tell(boolean taken) {
        assert isOwnedByCaller() : notOwned();
        activity.enter();
        try {
            if (closed) {
                return;
            } else if (taken) {
                natives.takeCompletionEvents(channel);
            } else {
                natives.requestNotify(queue);
            }
        } catch (IOException e) {
            fail(e.getMessage());
        } finally {
            activity.leave();
        }
    }

    @Override
    public int eventFd() {
        return eventFd;
    }

    @Override
    public void acknowledgeEvents() {
        tell(true);
    }

    /** Any thread: ends all queue pairs of this queue, which has become unusable. */
    void fail(String reason) {
        log.error("A completion queue failed: {}", reason);
        for (VerbsQueuePair queuePair : queuePairs) {
            if (queuePair != null) {
                queuePair.disconnect("completion queue failed: " + reason);
            }
        }
    }

    synchronized void reserve(int depths) {
        reserve(depths, leftovers.get());
        queuePairCount++;
    }

    /** Connection thread, when the queue pair is destroyed or was never created. */
    void unreserve(int depths, int leftBehind) {
        boolean last;
        synchronized (this) {
            leftovers.addAndGet(leftBehind);
            unreserve(depths);
            queuePairCount--;
            last = closed && queuePairCount == 0;
        }
        if (last) {
            device.whenQuiet(activity, this::destroy);
        }
    }

    /** Connection thread: adds the queue pair and returns the base of its work request identifiers. */
    synchronized long add(VerbsQueuePair queuePair) throws IOException {
        int index = 0;
        while (index < queuePairs.length && queuePairs[index] != null) {
            index++;
        }
        if (index == WorkRequestId.MAX_QUEUE_PAIRS) {
            throw new IOException("a completion queue has at most " + index + " queue pairs");
        }
        VerbsQueuePair[] changed = Arrays.copyOf(queuePairs, Math.max(queuePairs.length, index + 1));
        changed[index] = queuePair;
        lastGeneration = (lastGeneration + 1) & (WorkRequestId.GENERATIONS - 1);
        queuePairs = changed;
        return WorkRequestId.base(lastGeneration, index);
    }

    synchronized void remove(VerbsQueuePair queuePair) {
        VerbsQueuePair[] changed = queuePairs.clone();
        for (int i = 0; i < changed.length; i++) {
            if (changed[i] == queuePair) {
                changed[i] = null;
            }
        }
        queuePairs = changed;
    }

    boolean is(long nativeCompletionQueue) {
        return queue == nativeCompletionQueue;
    }

    @Override
    public void close() {
        boolean unused;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            unused = queuePairCount == 0;
        }
        for (VerbsQueuePair queuePair : queuePairs) {
            if (queuePair != null) {
                queuePair.close();
            }
        }
        if (unused) {
            device.whenQuiet(activity, this::destroy);
        }
    }

    /** Connection thread, once: its queue pairs are destroyed and its owner thread has left. */
    private void destroy() {
        try {
            natives.destroyCompletionQueue(queue);
            natives.destroyCompletionChannel(channel);
        } catch (IOException e) {
            log.error("A completion queue could not be destroyed: {}", e.getMessage());
        }
        BufferUtil.free(batch);
        device.forgetQueue(this);
    }
}
