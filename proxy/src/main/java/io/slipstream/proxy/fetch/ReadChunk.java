// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.netty.buffer.ByteBuf;
import io.slipstream.link.LiveLink;
import io.slipstream.link.SegmentGrants;
import io.slipstream.link.memory.ReadMemory;
import io.slipstream.link.work.CompletionHandler;
import io.slipstream.proxy.buffer.OutboundBudget;
import io.slipstream.rdma.CompletionStatus;
import java.nio.ByteBuffer;

/**
 * One range of a granted region, read once. One client connection uses it and then owns the buffer, or several use it
 * and only read the buffer. The data is valid only under the grant under which it was read; the grant must still be
 * valid when the data is served. Confined to the event loop.
 *
 * <pre>
 *   FREE ──start──▶ READING ──completed──▶ READY ──handOver (of one connection's own)──▶ FREE
 *    ▲                 │                     └──drop──┐
 *    │                 └──failed, drop──▶ UNWANTED ◀──┘
 *    └──no READ outstanding, nobody holds it──┘
 * </pre>
 *
 * <p>A connection that waits for the chunk or has taken it holds it: {@link #await}, {@link #hold}, and {@link #leave}
 * once for each.
 */
final class ReadChunk implements CompletionHandler {
    private enum State {
        FREE,
        READING,
        READY,
        UNWANTED
    }

    private final SharedReads home;
    final boolean shared;

    private State state = State.FREE;
    private LiveLink link;
    private SegmentGrants.Segment segment;
    private int slot;
    private int generation;
    private int position;
    private int lengthBytes;
    /** Space before the first byte. */
    int roomBytes;

    private ByteBuf memory;
    /** The whole buffer for parsing; valid as long as the buffer. */
    ByteBuffer bytes;

    private ReadAhead starter;
    private ReadAhead[] waiters = new ReadAhead[4];
    private int waiterCount;
    private int holders;
    private int outstanding;
    private int uses;
    private int expectedUses;
    /** Whether a second reader came before other chunks would have replaced this one. */
    private boolean sharedSoon;

    /** {@link SharedReads#completedBytes} at the start. */
    private long startedAtBytes;

    /** {@link System#nanoTime()}. */
    long startedNs;
    /** Value of {@link SharedReads#completions} when this was read. Only while READY. */
    long readAs;

    /** @param shared whether several connections may use the data, so that it must not be written */
    ReadChunk(SharedReads home, boolean shared) {
        this.home = home;
        this.shared = shared;
    }

    /**
     * Reads from the cursor's position. The region is kept until the READs have completed, even if the cursor leaves
     * it.
     *
     * @param length bytes below the high watermark and within the region
     * @param room space before and after them for an answer's fields
     * @return false, and still FREE, if there is no memory to spare or the link accepts no READ now
     */
    boolean start(LiveLink onLink, Cursor cursor, int length, int room, ReadAhead by) {
        int size = length + 2 * room;
        ReadMemory from = onLink.readMemory();
        memory = state == State.FREE && from.hasSpare(size) ? home.budget.readAhead(from, size) : null;
        if (memory == null) {
            return false;
        }
        bytes = from.bytesOf(memory);
        link = onLink;
        segment = cursor.segment;
        link.segments.keep(segment);
        slot = cursor.slot;
        generation = cursor.generation;
        position = cursor.position;
        lengthBytes = length;
        roomBytes = room;
        starter = by;
        uses = 0;
        sharedSoon = false;
        startedAtBytes = home.completedBytes;
        expectedUses = segment.cursors();
        startedNs = System.nanoTime();
        home.held.add(lengthBytes);
        state = State.READING;
        return post();
    }

    private boolean post() {
        long remote = segment.memory.address() + position;
        int rkey = segment.memory.rkey();
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

    /** Each waiter holds the chunk during its call and leaves it then, so the chunk cannot be reused in between. */
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
     * Calls {@link ReadAhead#onAwaited} of {@code waiter} when nothing is outstanding any more, whatever the outcome.
     * Only while READING.
     */
    void await(ReadAhead waiter) {
        if (waiterCount == waiters.length) {
            waiters = java.util.Arrays.copyOf(waiters, 2 * waiterCount);
        }
        waiters[waiterCount++] = waiter;
        holders++;
    }

    void abandon(ReadAhead waiter) {
        for (int i = 0; i < waiterCount; i++) {
            if (waiters[i] == waiter) {
                waiters[i] = null;
                leave();
                return;
            }
        }
    }

    /** Whether the chunk has, or will have, the data at the cursor under the same grant. */
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

    /** Bytes read, or being read; 0 when FREE. */
    int bytesKept() {
        return state == State.FREE ? 0 : lengthBytes;
    }

    /** Bytes taken from the budget. */
    int budgetedBytes() {
        return lengthBytes + 2 * roomBytes;
    }

    /** Index in the buffer of the cursor's position. */
    int indexOf(Cursor cursor) {
        return roomBytes + cursor.position - position;
    }

    /** Hands over the buffer and its share of the budget; only while READY, and not shared. */
    ByteBuf handOver() {
        ByteBuf handed = memory;
        forget();
        return handed;
    }

    /**
     * A reference to the buffer, which must not be written; only while READY. The caller holds the chunk until
     * {@link #leave}.
     */
    ByteBuf hold() {
        holders++;
        sharedSoon |= uses > 0 && home.completedBytes - startedAtBytes <= SharedReads.MOST_BYTES;
        uses++;
        return memory.retain();
    }

    /** Whether another connection has taken this before. */
    boolean isUsedAgain() {
        return uses > 1;
    }

    /** Ends the hold of one holder. */
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

    /** Whether its region has no cursor, so that no connection will use the chunk. */
    boolean isDeserted() {
        return state != State.FREE && segment.cursors() == 0;
    }

    /** Prevents further use. The buffer belongs to the READs until they have completed. */
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
        home.budget.giveBack(OutboundBudget.Kind.READ, budgetedBytes());
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
        home.held.add(-lengthBytes);
        SegmentGrants.Segment left = segment;
        segment = null;
        link.segments.giveUp(left);
        link = null;
    }
}
