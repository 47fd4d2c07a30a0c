// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.slipstream.link.LiveLink;

/**
 * The chunks of one client connection: the next range of a log that it reads sequentially, read while the client
 * processes the previous one, and ranges that other connections read at the same time ({@link SharedReads}). A
 * connection without sharing has one chunk, which an answer takes whole. Confined to the event loop.
 */
final class ReadAhead {
    /** After this many chunks without a second reader, only one in {@link #TRIAL} is read for others. */
    private static final int MOST_IN_VAIN = 8;

    private static final int TRIAL = 64;

    private final SharedReads shared;
    private final FetchAttempt attempt;
    private final ReadChunk own;
    private ReadChunk awaited;
    /** Position of the read after the client's answer; null for none. */
    private Cursor planned;

    private int plannedBytes;
    private int plannedRoom;
    /** Number of chunks started here and not yet read. */
    private int reading;

    private int inVain;
    private int trials;

    ReadAhead(SharedReads shared, FetchAttempt attempt) {
        this.shared = shared;
        this.attempt = attempt;
        this.own = new ReadChunk(shared, false);
    }

    /**
     * Plans a read-ahead if the answer, of one partition, was as large as its limits allow and as much data follows:
     * such a client probably fetches as much again. Call {@link #startPlanned} next.
     *
     * @param answered the plan's only entry with data, below the high watermark and within the segment's region; its
     *     cursor is at its end
     * @param room space before and after the bytes for an answer's fields
     */
    boolean planAfter(ReadPlan answered, Cursor cursor, int room) {
        ReadPlan.Entry entry = answered.entries[answered.firstNonEmpty];
        int length = entry.lengthBytes;
        if (entry.recordBytes == 0 || entry.availableBytes - entry.consumedBytes() < length) {
            return false;
        }
        planned = cursor;
        plannedBytes = length;
        plannedRoom = room;
        return true;
    }

    void unplan() {
        planned = null;
    }

    /** Starts the planned read if there is memory to spare, no other read-ahead, and no other reader of the range. */
    void startPlanned(LiveLink link) {
        Cursor cursor = planned;
        planned = null;
        if (cursor == null || !cursor.isLocated()) {
            return;
        }
        boolean shareable = shared.isShareable(cursor, plannedBytes);
        if (shareable && shared.covering(cursor, plannedBytes) != null) {
            return;
        } else if (shareable && isWorthSharing()) {
            shared.start(link, cursor, plannedBytes, this);
        } else {
            own.start(link, cursor, plannedBytes, plannedRoom, this);
        }
    }

    /**
     * The chunk that has, or will have, the plan's only data; started here if other cursors are in its region. Null
     * if the data is to be read without a chunk.
     *
     * @param room space for the answer's fields around data that is taken whole
     */
    ReadChunk find(LiveLink link, Cursor[] cursors, ReadPlan plan, int room) {
        Cursor cursor = cursors[plan.firstNonEmpty];
        int length = plan.entries[plan.firstNonEmpty].lengthBytes;
        if (own.covers(cursor, length) && room <= own.roomBytes) {
            return own;
        }
        if (!shared.isShareable(cursor, length)) {
            return null;
        }
        ReadChunk chunk = shared.covering(cursor, length);
        return chunk == null && isWorthSharing() ? shared.start(link, cursor, length, this) : chunk;
    }

    private boolean isWorthSharing() {
        return inVain < MOST_IN_VAIN || ++trials % TRIAL == 0;
    }

    /**
     * A chunk started here for others was dropped.
     *
     * @param sharedSoon whether a second reader came while the chunk would have been kept even if all connections
     *     shared
     */
    void onSharedEnd(boolean sharedSoon) {
        inVain = sharedSoon ? 0 : inVain + 1;
    }

    /** Waits for a chunk that is being read. */
    void await(ReadChunk chunk) {
        awaited = chunk;
        chunk.await(this);
    }

    void onAwaited() {
        ReadChunk chunk = awaited;
        awaited = null;
        try {
            attempt.onAwaitedChunk(chunk);
        } catch (Throwable e) {
            attempt.path.onThrown(e);
        }
    }

    void onStarted() {
        reading++;
    }

    void onCompleted() {
        reading--;
        attempt.onChunkRead();
    }

    /** Whether READs posted here are outstanding. */
    boolean isReading() {
        return reading > 0;
    }

    /** Whether data was read ahead for this connection alone. */
    boolean isHeld() {
        return own.isReady();
    }

    /** Time to drop the data read ahead; {@link System#nanoTime()}. */
    long dropAtNs() {
        return own.startedNs + SharedReads.HOLD_NS;
    }

    /** Drops the data read ahead and ends all waits. */
    void drop() {
        own.drop();
        if (awaited != null) {
            ReadChunk left = awaited;
            awaited = null;
            left.abandon(this);
        }
    }
}
