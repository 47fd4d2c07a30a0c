// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.netty.buffer.ByteBuf;
import io.slipstream.link.LiveLink;
import io.slipstream.link.SegmentGrants;
import io.slipstream.link.memory.ReadMemory;
import io.slipstream.link.work.CompletionHandler;
import io.slipstream.rdma.CompletionStatus;
import java.nio.ByteBuffer;

/**
 * One range of a granted region, read once and used by one client connection, which then owns the buffer, or by
 * several, which only look at it. What is read counts only as what it is: bytes that lay there under a grant that must
 * still be good when they are served. Confined to the event loop.
 *
 * <pre>
 *   FREE ──start──▶ READING ──completed──▶ READY ──handOver (of one connection's own)──▶ FREE
 *    ▲                 │                     └──drop──┐
 *    │                 └──failed, drop──▶ UNWANTED ◀──┘
 *    └──no READ outstanding, nobody holds it──┘
 * </pre>
 *
 * Who waits for it or has taken it holds it: {@link #await}, {@link #hold}, and {@link #leave} once for each.
 */
final class ReadChunk implements CompletionHandler {
    private enum State {
        FREE,
        READING,
        READY,
        UNWANTED
    }

    private final SharedReads home;
    private final boolean shared;

    private State state = State.FREE;
    private LiveLink link;
    private SegmentGrants.Segment segment;
    private int slot;
    private int generation;
    private int position;
    private int lengthBytes;
    private int roomBytes;
    private ByteBuf memory;
    private ByteBuffer bytes;
    private ReadAhead starter;
    private ReadAhead[] waiters = new ReadAhead[4];
    private int waiterCount;
    private int holders;
    private int outstanding;
    private int uses;
    private int expectedUses;
    /** Whether somebody else came for it before others would have taken its place. */
    private boolean sharedSoon;

    /** {@link SharedReads#completedBytes} then. */
    private long startedAtBytes;

    private long startedNs;
    private long readAs;

    /** @param shared whether several connections may use what is read, so that nothing may be written into it */
    ReadChunk(SharedReads home, boolean shared) {
        this.home = home;
        this.shared = shared;
    }

    /**
     * Reads from where the cursor stands; the region is kept until the READs are over, even if the cursor leaves it.
     * False, and still FREE, if there is no memory to spare or the link takes no READ now.
     *
     * @param length bytes that lie below the high watermark and within the region
     * @param room to leave before and after them for an answer's fields
     */
    boolean start(LiveLink onLink, Cursor cursor, int length, int room, ReadAhead by) {
        int size = length + 2 * room;
        ReadMemory from = onLink.readMemory();
        if (state != State.FREE || !from.hasSpare(size) || !home.budget().tryTakeSpare(size)) {
            return false;
        }
        memory = from.take(size);
        if (memory == null) {
            home.budget().giveBack(size);
            return false;
        }
        bytes = from.bytesOf(memory);
        link = onLink;
        segment = cursor.segment;
        link.segments().keep(segment);
        slot = cursor.slot;
        generation = cursor.generation;
        position = cursor.position;
        lengthBytes = length;
        roomBytes = room;
        starter = by;
        uses = 0;
        sharedSoon = false;
        startedAtBytes = home.completedBytes();
        expectedUses = segment.cursors();
        startedNs = System.nanoTime();
        home.held().add(lengthBytes);
        state = State.READING;
        return post();
    }

    private boolean post() {
        long remote = segment.memory().address() + position;
        int rkey = segment.memory().rkey();
        for (int from = 0; from < lengthBytes; from += DataReader.MOST_READ_BYTES) {
            int length = Math.min(lengthBytes - from, DataReader.MOST_READ_BYTES);
            if (!link.read(this, memory.memoryAddress() + roomBytes + from, length, remote + from, rkey)) {
                drop();
                return false;
            }
            if (outstanding++ == 0) {
                starter.onStarted();
            }
        }
        return true;
    }

    @Override
    public void onWorkCompleted(CompletionStatus status, int byteLen) {
        if (status != CompletionStatus.SUCCESS) {
            state = State.UNWANTED;
        }
        if (--outstanding > 0) {
            return;
        }
        ReadAhead by = starter;
        if (state == State.READING) {
            state = State.READY;
            readAs = home.completed(lengthBytes);
        }
        tellWaiters();
        dropIfUsedUp();
        by.onCompleted();
    }

    /** Each still holds the chunk while it is told, and leaves it then: it cannot become another in between. */
    private void tellWaiters() {
        for (int i = 0; i < waiterCount; i++) {
            ReadAhead waiter = waiters[i];
            if (waiter != null) {
                waiters[i] = null;
                waiter.onAwaited();
                holders--;
            }
        }
        waiterCount = 0;
    }

    /**
     * {@link ReadAhead#onAwaited} of {@code waiter} is called when nothing is outstanding any more, whatever came of
     * it. Only while READING.
     */
    void await(ReadAhead waiter) {
        if (waiterCount == waiters.length) {
            waiters = java.util.Arrays.copyOf(waiters, 2 * waiterCount);
        }
        waiters[waiterCount++] = waiter;
        holders++;
    }

    /** That one does not wait any more. */
    void abandon(ReadAhead waiter) {
        for (int i = 0; i < waiterCount; i++) {
            if (waiters[i] == waiter) {
                waiters[i] = null;
                leave();
                return;
            }
        }
    }

    /**
     * Whether the bytes that are to be served next from there are among those read, or being read, under the same
     * grant.
     */
    boolean covers(Cursor cursor, int length) {
        return (state == State.READING || state == State.READY)
                && segment == cursor.segment
                && slot == cursor.slot
                && generation == cursor.generation
                && position <= cursor.position
                && cursor.position + (long) length <= position + (long) lengthBytes;
    }

    boolean isFree() {
        return state == State.FREE;
    }

    boolean isReading() {
        return state == State.READING;
    }

    boolean isReady() {
        return state == State.READY;
    }

    boolean isShared() {
        return shared;
    }

    /** When this was read, as {@link SharedReads#completions} counted then. Only while READY. */
    long readAs() {
        return readAs;
    }

    /** {@link System#nanoTime()}. */
    long startedNs() {
        return startedNs;
    }

    /** Room before the first byte read. */
    int roomBytes() {
        return roomBytes;
    }

    /** Bytes read, or being read, that lie here; 0 when FREE. */
    int bytesKept() {
        return state == State.FREE ? 0 : lengthBytes;
    }

    /** Bytes taken from the budget. */
    int budgetedBytes() {
        return lengthBytes + 2 * roomBytes;
    }

    /** Where in the buffer the bytes lie at which the cursor stands. */
    int indexOf(Cursor cursor) {
        return roomBytes + cursor.position - position;
    }

    /** All of the buffer, for parsing; valid as long as the buffer. */
    ByteBuffer bytes() {
        return bytes;
    }

    /** Gives the buffer and its share of the budget away; only while READY, and not shared. */
    ByteBuf handOver() {
        ByteBuf handed = memory;
        forget();
        return handed;
    }

    /**
     * A reference to the buffer, in which nothing may be changed; only while READY. The caller holds the chunk until it
     * calls {@link #leave}.
     */
    ByteBuf hold() {
        holders++;
        sharedSoon |= uses > 0 && home.completedBytes() - startedAtBytes <= SharedReads.MOST_BYTES;
        uses++;
        return memory.retain();
    }

    /** Whether somebody else has taken this before. */
    boolean isUsedAgain() {
        return uses > 1;
    }

    /** A holder has no use for it any more. */
    void leave() {
        holders--;
        dropIfUsedUp();
    }

    private void dropIfUsedUp() {
        if (holders == 0 && state == State.READY && uses >= expectedUses && shared) {
            drop();
        } else {
            freeIfUnwanted();
        }
    }

    boolean isHeld() {
        return holders > 0;
    }

    /** Whether no cursor stands in its region, so that nobody will come for it. */
    boolean isDeserted() {
        return state != State.FREE && segment.cursors() == 0;
    }

    /** Nobody is to begin to use it. The buffer belongs to the READs until they have completed. */
    void drop() {
        if (state != State.FREE) {
            state = State.UNWANTED;
            freeIfUnwanted();
        }
    }

    private void freeIfUnwanted() {
        if (state != State.UNWANTED || outstanding > 0 || holders > 0) {
            return;
        }
        ByteBuf freed = memory;
        home.budget().giveBack(budgetedBytes());
        if (shared) {
            starter.onSharedEnd(sharedSoon);
        }
        forget();
        freed.release();
    }

    private void forget() {
        state = State.FREE;
        memory = null;
        bytes = null;
        starter = null;
        home.held().add(-lengthBytes);
        SegmentGrants.Segment left = segment;
        segment = null;
        link.segments().giveUp(left);
        link = null;
    }
}
