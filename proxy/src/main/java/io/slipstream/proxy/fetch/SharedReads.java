// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.netty.channel.EventLoop;
import io.slipstream.link.LinkMeters;
import io.slipstream.link.LiveLink;
import io.slipstream.proxy.buffer.OutboundBudget;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Chunks of a log that client connections of one event loop have read, kept for connections that fetch the same place
 * shortly afterwards. They use memory that nothing else needs; without space, the oldest unused chunk is dropped.
 * Chunks are kept for a second at most, and only while a cursor is in their region. Confined to the event loop;
 * allocates only to grow.
 */
public final class SharedReads {
    /** A later client does not read at the same pace; others may need the memory. */
    static final long HOLD_NS = TimeUnit.SECONDS.toNanos(1);

    /** Reading a shorter range again takes less time than sharing it. */
    public static final int LEAST_BYTES = 16 << 10;

    /** Few enough that a scan of all of them costs nothing compared with a READ. */
    static final int MOST_CHUNKS = 32;

    /**
     * Bytes of all chunks, without those in use. Recently read memory is in the processor's caches, and the allocator's
     * pool does not grow.
     */
    static final int MOST_BYTES = 8 << 20;

    private final EventLoop loop;
    final OutboundBudget budget;
    final LongAdder held;
    private final int leastBytes;
    private final ReadChunk[] chunks = new ReadChunk[MOST_CHUNKS];
    private final Runnable onTimer = this::onTimer;
    private boolean timed;
    /** Number of chunks read so far. */
    long completions;
    /** Bytes of all chunks read so far. */
    long completedBytes;

    /**
     * @param budget limit for all answers of the proxy
     * @param leastBytes smallest range to share, {@link #LEAST_BYTES}
     */
    public SharedReads(EventLoop loop, OutboundBudget budget, LinkMeters meters, int leastBytes) {
        this.loop = loop;
        this.budget = budget;
        this.held = meters.prefetchedBytes;
        this.leastBytes = leastBytes;
    }

    /** Counts a chunk that was read; returns the number of such chunks. */
    long completed(int lengthBytes) {
        completedBytes += lengthBytes;
        return ++completions;
    }

    /** Whether other connections may fetch the same range. */
    boolean isShareable(Cursor cursor, int length) {
        return length >= leastBytes && cursor.segment.cursors() > 1;
    }

    /** A chunk, READING or READY, that has the data at the cursor; null if there is none. */
    ReadChunk covering(Cursor cursor, int length) {
        for (ReadChunk chunk : chunks) {
            if (chunk != null && chunk.covers(cursor, length)) {
                return chunk;
            }
        }
        return null;
    }

    /** Starts a shared read; null if there is no memory to spare or the link accepts no READ now. */
    ReadChunk start(LiveLink link, Cursor cursor, int length, ReadAhead starter) {
        ReadChunk chunk = free();
        boolean any = true;
        while (any && keptBytes() + length > MOST_BYTES) {
            any = dropOldest();
        }
        while (chunk != null && !(budget.hasSpare(length) && link.readMemory().hasSpare(length))) {
            if (!dropOldest()) {
                return null;
            }
        }
        if (chunk == null || !chunk.start(link, cursor, length, 0, starter)) {
            return null;
        }
        ensureTimer();
        return chunk;
    }

    private long keptBytes() {
        long kept = 0;
        for (ReadChunk chunk : chunks) {
            kept += chunk == null ? 0 : chunk.bytesKept();
        }
        return kept;
    }

    private ReadChunk free() {
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < MOST_CHUNKS; i++) {
                if (chunks[i] == null) {
                    chunks[i] = new ReadChunk(this, true);
                }
                if (chunks[i].isFree()) {
                    return chunks[i];
                }
            }
            if (!dropOldest()) {
                return null;
            }
        }
        return null;
    }

    private boolean dropOldest() {
        ReadChunk oldest = null;
        for (ReadChunk chunk : chunks) {
            if (isIdle(chunk) && (oldest == null || chunk.startedNs - oldest.startedNs < 0)) {
                oldest = chunk;
            }
        }
        if (oldest != null) {
            oldest.drop();
        }
        return oldest != null;
    }

    /** Drops an unused chunk because memory is short; false if there is none. */
    boolean dropIdle() {
        boolean any = false;
        while (dropOldest()) {
            any = true;
        }
        return any;
    }

    private static boolean isIdle(ReadChunk chunk) {
        return chunk != null && chunk.isReady() && !chunk.isHeld();
    }

    private void ensureTimer() {
        if (!timed) {
            timed = true;
            loop.schedule(onTimer, HOLD_NS / 2, TimeUnit.NANOSECONDS);
        }
    }

    private void onTimer() {
        timed = false;
        dropDeserted();
        long now = System.nanoTime();
        boolean any = false;
        for (ReadChunk chunk : chunks) {
            if (isIdle(chunk) && now - chunk.startedNs >= HOLD_NS / 2) {
                chunk.drop();
            }
            any |= chunk != null && !chunk.isFree();
        }
        if (any) {
            ensureTimer();
        }
    }

    /** Cursors have left their regions: drops the chunks that no connection will use. */
    void dropDeserted() {
        for (ReadChunk chunk : chunks) {
            if (chunk != null && chunk.isDeserted()) {
                chunk.drop();
            }
        }
    }
}
