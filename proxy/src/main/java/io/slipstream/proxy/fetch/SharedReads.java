// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.netty.channel.EventLoop;
import io.slipstream.link.LinkMeters;
import io.slipstream.link.LiveLink;
import io.slipstream.metrics.Count;
import java.util.concurrent.TimeUnit;

/**
 * What client connections of one event loop read of the same places of a log, kept for those that come there a little
 * later: a few chunks, in memory that nobody else has asked for. Where there is no room, the oldest that nobody uses
 * goes. Kept for a second at most, and only while a cursor stands in their region. Confined to the event loop;
 * allocates nothing once it has grown.
 */
public final class SharedReads {
    /** A client that comes later than that works on other things; others may need the memory. */
    static final long HOLD_NS = TimeUnit.SECONDS.toNanos(1);

    /** What is shorter is read again in less time than it takes to share it. */
    public static final int LEAST_BYTES = 16 << 10;

    /** So few that looking at all of them costs nothing beside a READ. */
    static final int MOST_CHUNKS = 32;

    /**
     * Bytes of all chunks, but for what is in use: memory that was just read is in the processor's caches, and an
     * allocator's pool stays as large as it is.
     */
    static final int MOST_BYTES = 8 << 20;

    private final EventLoop loop;
    private final ReadBudget budget;
    private final Count held;
    private final int leastBytes;
    private final ReadChunk[] chunks = new ReadChunk[MOST_CHUNKS];
    private final Runnable onTimer = this::onTimer;
    private boolean timed;
    private long completions;
    private long completedBytes;

    /**
     * @param budget what all READs of the event loop together may hold
     * @param leastBytes of a range that is worth sharing, {@link #LEAST_BYTES}
     */
    public SharedReads(EventLoop loop, ReadBudget budget, LinkMeters meters, int leastBytes) {
        this.loop = loop;
        this.budget = budget;
        this.held = meters.prefetchedBytes;
        this.leastBytes = leastBytes;
    }

    ReadBudget budget() {
        return budget;
    }

    Count held() {
        return held;
    }

    /** Another chunk was read; returns the number of those. */
    long completed(int lengthBytes) {
        completedBytes += lengthBytes;
        return ++completions;
    }

    /** Bytes of all chunks read until now. */
    long completedBytes() {
        return completedBytes;
    }

    /** How many chunks were read until now. */
    long completions() {
        return completions;
    }

    /** Whether others may come for that, too. */
    boolean isShareable(Cursor cursor, int length) {
        return length >= leastBytes && cursor.segment.cursors() > 1;
    }

    /** A chunk, READING or READY, that holds what is to be served next from there; null if there is none. */
    ReadChunk covering(Cursor cursor, int length) {
        for (ReadChunk chunk : chunks) {
            if (chunk != null && chunk.covers(cursor, length)) {
                return chunk;
            }
        }
        return null;
    }

    /** Reads that for whoever comes; null if there is no memory to spare or the link takes no READ now. */
    ReadChunk start(LiveLink link, Cursor cursor, int length, ReadAhead starter) {
        ReadChunk chunk = free();
        boolean any = true;
        while (any && keptBytes() + length > MOST_BYTES) {
            any = dropOldest();
        }
        while (chunk != null && !hasSpare(link, length)) {
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

    private boolean hasSpare(LiveLink link, int sizeBytes) {
        return budget.hasSpare(sizeBytes) && link.readMemory().hasSpare(sizeBytes);
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
            if (isIdle(chunk) && (oldest == null || chunk.startedNs() - oldest.startedNs() < 0)) {
                oldest = chunk;
            }
        }
        if (oldest != null) {
            oldest.drop();
        }
        return oldest != null;
    }

    /** Drops what nobody uses just now, as memory is short; false if there is none of that. */
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
            if (isIdle(chunk) && now - chunk.startedNs() >= HOLD_NS / 2) {
                chunk.drop();
            }
            any |= chunk != null && !chunk.isFree();
        }
        if (any) {
            ensureTimer();
        }
    }

    /** Cursors have left their regions: drops what nobody will come for. */
    void dropDeserted() {
        for (ReadChunk chunk : chunks) {
            if (chunk != null && chunk.isDeserted()) {
                chunk.drop();
            }
        }
    }
}
