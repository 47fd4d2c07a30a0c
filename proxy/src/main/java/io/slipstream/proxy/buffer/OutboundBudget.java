// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.buffer;

import io.netty.buffer.ByteBuf;
import io.slipstream.link.memory.ReadMemory;
import io.slipstream.link.meter.Meter;
import io.slipstream.metrics.Label;
import io.slipstream.metrics.MeterRegistry;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Limits the bytes of answers that a proxy holds: from before their READ, or from the first bytes of a broker's
 * response, until the client's socket has taken them. Small answers are counted and never refused, so that clients that
 * read are served beside slow ones. Thread-safe; locks only while a response waits.
 */
public final class OutboundBudget {
    /** Where the bytes are; the lower-case name is the label of the metric. */
    public enum Kind {
        /** Read by RDMA, or being read, and not yet in an answer. */
        READ,
        /** Of a broker's response that is not yet whole. */
        RECEIVED,
        /** In an answer that waits for the client's socket. */
        UNSENT
    }

    /** Receives its bytes later. */
    public interface Waiter {
        int sizeBytes();

        /** The bytes are taken, as {@link Kind#RECEIVED}. Called once, on any thread, under the budget's lock. */
        void onTaken();
    }

    /** A client connection holds few answers of this size: it is not read while it takes none. */
    public static final int SMALL_BYTES = 64 << 10;

    private final long limitBytes;
    private final AtomicLong usedBytes = new AtomicLong();
    private final LongAdder[] used = new LongAdder[Kind.values().length];
    private final LongAdder waits;
    /** Guarded by this. */
    private final ArrayDeque<Waiter> waiting = new ArrayDeque<>();

    private volatile long waitingBytes;

    public OutboundBudget(long limitBytes, MeterRegistry registry) {
        this.limitBytes = limitBytes;
        for (Kind kind : Kind.values()) {
            used[kind.ordinal()] = registry.count(Meter.OUTBOUND_BYTES, Label.valueOf(kind));
        }
        waits = registry.count(Meter.OUTBOUND_WAITS);
    }

    /**
     * Takes bytes for a READ and the memory for them. Null if the bytes are not left, or no memory is free; nothing is
     * taken then, as if the memory throws.
     */
    public ByteBuf read(ReadMemory from, int bytes) {
        return tryTake(Kind.READ, bytes, waitingBytes == 0) ? fill(from, bytes) : null;
    }

    /** The same for read-ahead, which may use only the first half of the budget. */
    public ByteBuf readAhead(ReadMemory from, int bytes) {
        return hasSpare(bytes) && tryTake(Kind.READ, bytes, true) ? fill(from, bytes) : null;
    }

    private ByteBuf fill(ReadMemory from, int bytes) {
        ByteBuf memory = null;
        try {
            memory = from.take(bytes);
            return memory;
        } finally {
            if (memory == null) {
                giveBack(Kind.READ, bytes);
            }
        }
    }

    /** Whether {@link #readAhead} would find the bytes. */
    public boolean hasSpare(long bytes) {
        return usedBytes.get() + bytes <= limitBytes / 2;
    }

    /** Bytes that one answer should not exceed now, so that some are left for others. */
    public int shareBytes() {
        long leftBytes = limitBytes - usedBytes.get() - waitingBytes;
        return (int) Math.max(SMALL_BYTES, Math.min(Integer.MAX_VALUE, leftBytes / 2));
    }

    /** Takes bytes of a broker's response; if they are not left, the waiter gets them in its turn. */
    public synchronized boolean takeOrAwait(Waiter waiter) {
        if (tryTake(Kind.RECEIVED, waiter.sizeBytes(), waiting.isEmpty())) {
            return true;
        }
        waiting.add(waiter);
        waitingBytes += waiter.sizeBytes();
        waits.increment();
        // Bytes that were given back before the others could see this waiter.
        serveWaiting();
        return false;
    }

    /** Ends a wait; false if it has ended, and the bytes are taken. */
    public synchronized boolean abandon(Waiter waiter) {
        if (!waiting.remove(waiter)) {
            return false;
        }
        left(waiter);
        serveWaiting();
        return true;
    }

    private void left(Waiter waiter) {
        waitingBytes -= waiter.sizeBytes();
        waits.decrement();
    }

    private synchronized void serveWaiting() {
        for (Waiter next = waiting.peek();
                next != null && tryTake(Kind.RECEIVED, next.sizeBytes(), true);
                next = waiting.peek()) {
            waiting.remove();
            left(next);
            next.onTaken();
        }
    }

    /** What alone exceeds the limit may join what fills half of it, so that a large batch can be served. */
    private boolean tryTake(Kind kind, long bytes, boolean mayTake) {
        long now = usedBytes.addAndGet(bytes);
        boolean fits = now <= limitBytes || bytes > limitBytes && now - bytes <= limitBytes / 2;
        if (bytes > SMALL_BYTES && !(mayTake && fits)) {
            usedBytes.addAndGet(-bytes);
            return false;
        }
        used[kind.ordinal()].add(bytes);
        return true;
    }

    /** Counts bytes that exist already. */
    public void add(Kind kind, long bytes) {
        usedBytes.addAndGet(bytes);
        used[kind.ordinal()].add(bytes);
    }

    public void giveBack(Kind kind, long bytes) {
        if (bytes != 0) {
            add(kind, -bytes);
            if (waitingBytes > 0) {
                serveWaiting();
            }
        }
    }
}
