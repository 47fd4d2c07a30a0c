// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.slipstream.link.LiveLink;

/**
 * What one client connection reads in chunks: the next range of a log that it reads from one end to the other, while it
 * works on what it got, and whatever other connections read of the same log at the same time ({@link SharedReads}).
 * Alone, it has one chunk, which an answer takes wholly. Confined to the event loop.
 */
final class ReadAhead {
    /** So many chunks that nobody else came for, and only one in {@link #TRIAL} is read for others. */
    private static final int MOST_IN_VAIN = 8;

    private static final int TRIAL = 64;

    private final SharedReads shared;
    private final Listener listener;
    private final ReadChunk own;
    private ReadChunk awaited;
    /** Where to read once the client has its answer; null for nowhere. */
    private Cursor planned;

    private int plannedBytes;
    private int plannedRoom;
    /** Chunks started here that are not read yet. */
    private int reading;

    private int inVain;
    private int trials;

    /** Is told last when a chunk has been read, or not, that was waited for or was started here. */
    @FunctionalInterface
    interface Listener {
        void onChunkRead(boolean awaited);
    }

    ReadAhead(SharedReads shared, Listener listener) {
        this.shared = shared;
        this.listener = listener;
        this.own = new ReadChunk(shared, false);
    }

    /**
     * Notes where to read on, if what was answered, of one partition, was as much as its limits allow and there is as
     * much behind it: such a client will ask for as much again. Follow with {@link #startPlanned}.
     *
     * @param answered the plan's only entry with something to read, below the high watermark and within the segment's
     *     region; its cursor stands behind it
     * @param room to leave before and after the bytes for an answer's fields
     */
    boolean planAfter(ReadPlan plan, DataReader answered, Cursor cursor, int room) {
        int entry = plan.firstNonEmpty;
        int length = plan.lengthBytes[entry];
        if (answered.recordBytes()[entry] == 0 || plan.availableBytes[entry] - answered.consumedBytes(entry) < length) {
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

    /**
     * Reads what was planned, if anything, there is memory to spare, nothing is read ahead yet and nobody else reads
     * it.
     */
    void startPlanned(LiveLink link) {
        Cursor cursor = planned;
        planned = null;
        if (cursor == null || !cursor.isLocated()) {
            return;
        }
        if (!shared.isShareable(cursor, plannedBytes)) {
            own.start(link, cursor, plannedBytes, plannedRoom, this);
        } else if (shared.covering(cursor, plannedBytes) != null) {
            return;
        } else if (isWorthSharing()) {
            shared.start(link, cursor, plannedBytes, this);
        } else {
            own.start(link, cursor, plannedBytes, plannedRoom, this);
        }
    }

    /**
     * The chunk that holds what is to be served next from there, or will: begun here if others stand in the same
     * region. Null if it is to be read without.
     *
     * @param room that the answer's fields need around bytes that are taken wholly
     */
    ReadChunk find(LiveLink link, Cursor cursor, int length, int room) {
        if (own.covers(cursor, length) && room <= own.roomBytes()) {
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
     * A chunk started here for others is gone.
     *
     * @param sharedSoon whether another came while it would have been kept even if everybody shared
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
        awaited = null;
        listener.onChunkRead(true);
    }

    void onStarted() {
        reading++;
    }

    void onCompleted() {
        reading--;
        listener.onChunkRead(false);
    }

    /** Whether READs are outstanding that were posted here. */
    boolean isReading() {
        return reading > 0;
    }

    /** Whether something was read ahead for this connection alone. */
    boolean isHeld() {
        return own.isReady();
    }

    /** When what is held should be dropped; {@link System#nanoTime()}. */
    long dropAtNs() {
        return own.startedNs() + SharedReads.HOLD_NS;
    }

    /** What is read ahead is of no use here, and nothing is waited for. */
    void drop() {
        own.drop();
        if (awaited != null) {
            ReadChunk left = awaited;
            awaited = null;
            left.abandon(this);
        }
    }
}
