// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import io.netty.channel.epoll.Native;
import io.netty.channel.unix.FileDescriptor;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.WorkCompletion;
import io.slipstream.rdma.provider.AbstractCompletionQueue;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.agrona.BufferUtil;

/**
 * Completions of local requests wait in a ring in this object. A poll takes messages of peers from the inboxes, a
 * limited number from each queue pair in turn.
 *
 * <p>Before sleeping, {@link #arm} raises the waiting flag in each inbox. A queue pair that delivers lowers its flag,
 * so that a busy peer pays for no event. A poll that then finds nothing while the queue is still armed raises the flags
 * and looks once more.
 */
final class ShmCompletionQueue extends AbstractCompletionQueue {
    private static final ShmQueuePair[] NONE = {};
    /** Maximum number of messages that one queue pair delivers per turn. */
    private static final int MESSAGES_PER_TURN = 32;

    final ShmDevice device;
    private final FileDescriptor eventFd = Native.newEventFd();
    private final ByteBuffer eventCount = ByteBuffer.allocateDirect(Long.BYTES);
    private final long eventCountAddress = BufferUtil.address(eventCount);
    private volatile ShmQueuePair[] queuePairs = NONE;

    // Ring of local completions; owner thread only.
    private final ShmQueuePair[] queuePairOf;
    private final long[] wrIds;
    private final Opcode[] opcodes;
    private final CompletionStatus[] statuses;
    private final int[] byteLens;
    private int head;
    private int count;
    private int turn;
    private boolean armed;
    private boolean flagsRaised;

    ShmCompletionQueue(ShmDevice device, int capacity) {
        super(capacity);
        this.device = device;
        queuePairOf = new ShmQueuePair[capacity];
        wrIds = new long[capacity];
        opcodes = new Opcode[capacity];
        statuses = new CompletionStatus[capacity];
        byteLens = new int[capacity];
    }

    @Override
    public int poll(WorkCompletion[] completions) {
        assert isOwnedByCaller() : notOwned();
        activity.enter();
        try {
            int filled = sweep(completions);
            if (filled == 0 && armed && !flagsRaised) {
                raiseFlags();
                filled = sweep(completions);
            }
            return filled;
        } finally {
            activity.leave();
        }
    }

    private int sweep(WorkCompletion[] completions) {
        int filled = takeLocal(completions, 0);
        ShmQueuePair[] polled = queuePairs;
        if (polled.length > 0) {
            turn = turn + 1 < polled.length ? turn + 1 : 0;
            for (int i = 0; i < polled.length && filled < completions.length; i++) {
                int index = turn + i < polled.length ? turn + i : turn + i - polled.length;
                int limit = Math.min(completions.length, filled + MESSAGES_PER_TURN);
                int before = filled;
                filled = polled[index].poll(completions, filled, limit);
                if (filled > before && polled[index].inbox.lowerWaiting()) {
                    flagsRaised = false;
                }
            }
            filled = takeLocal(completions, filled);
        }
        return filled;
    }

    private int takeLocal(WorkCompletion[] completions, int from) {
        int filled = from;
        while (count > 0 && filled < completions.length) {
            WorkCompletion completion = completions[filled++];
            ShmQueuePair queuePair = queuePairOf[head];
            completion.set(wrIds[head], opcodes[head], statuses[head], byteLens[head], 0, queuePair.number());
            queuePairOf[head] = null;
            head = head + 1 < capacity ? head + 1 : 0;
            count--;
            queuePair.sendQueue.completionDelivered();
            if (completion.status != CompletionStatus.SUCCESS) {
                counters.failed(completion.status);
            }
        }
        return filled;
    }

    /** Owner thread. The ring has room, because each queue pair reserved its depths. */
    void pushLocal(ShmQueuePair queuePair, long wrId, Opcode opcode, CompletionStatus status, int byteLen) {
        assert count < capacity : "more completions than reserved";
        int index = head + count < capacity ? head + count : head + count - capacity;
        queuePairOf[index] = queuePair;
        wrIds[index] = wrId;
        opcodes[index] = opcode;
        statuses[index] = status;
        byteLens[index] = byteLen;
        count++;
        if (armed) {
            armed = false;
            signal();
        }
    }

    @Override
    public void arm() {
        assert isOwnedByCaller() : notOwned();
        armed = true;
        activity.enter();
        try {
            raiseFlags();
        } finally {
            activity.leave();
        }
        for (ShmQueuePair queuePair : queuePairs) {
            long delayNs = queuePair.nsUntilNotReadyBound();
            if (delayNs >= 0) {
                device.runLater(this::signal, delayNs + TimeUnit.MILLISECONDS.toNanos(1));
            }
        }
    }

    /**
     * The flags in the inboxes stay raised: lowering them would cost more than the event that a peer may send
     * meanwhile.
     */
    @Override
    public void disarm() {
        assert isOwnedByCaller() : notOwned();
        armed = false;
    }

    private void raiseFlags() {
        for (ShmQueuePair queuePair : queuePairs) {
            queuePair.inbox.raiseWaiting();
        }
        // Orders the flags before the next look at the inboxes; producers order their record before their read of the
        // flag.
        VarHandle.fullFence();
        flagsRaised = true;
    }

    @Override
    public int eventFd() {
        return eventFd.intValue();
    }

    /** Connection thread, which is also the thread that closes it. The caller must send it at once. */
    FileDescriptor openEventFd() throws IOException {
        if (closed) {
            throw new IOException("completion queue is closed");
        }
        return eventFd;
    }

    @Override
    public void acknowledgeEvents() {
        assert isOwnedByCaller() : notOwned();
        if (closed) {
            return;
        }
        try {
            eventFd.readAddress(eventCountAddress, 0, Long.BYTES);
        } catch (IOException e) {
            throw new IllegalStateException("reading the event descriptor of a completion queue failed", e);
        }
        armed = false;
        flagsRaised = false;
        activity.enter();
        try {
            for (ShmQueuePair queuePair : queuePairs) {
                queuePair.inbox.lowerWaiting();
            }
        } finally {
            activity.leave();
        }
    }

    /** Any thread: makes the event descriptor readable. */
    synchronized void signal() {
        if (!closed) {
            Native.eventFdWrite(eventFd.intValue(), 1);
        }
    }

    synchronized void add(ShmQueuePair queuePair) {
        ShmQueuePair[] grown = Arrays.copyOf(queuePairs, queuePairs.length + 1);
        grown[queuePairs.length] = queuePair;
        queuePairs = grown;
    }

    synchronized void remove(ShmQueuePair queuePair) {
        queuePairs =
                Arrays.stream(queuePairs).filter(other -> other != queuePair).toArray(ShmQueuePair[]::new);
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        for (ShmQueuePair queuePair : queuePairs) {
            queuePair.close();
        }
        device.whenQuiet(activity, this::closeEventFd);
    }

    private void closeEventFd() {
        Descriptors.close(eventFd);
        BufferUtil.free(eventCount);
        device.forgetQueue(this);
    }
}
