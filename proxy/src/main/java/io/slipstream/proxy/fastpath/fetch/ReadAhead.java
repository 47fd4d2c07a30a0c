package io.slipstream.proxy.fastpath.fetch;

import io.netty.buffer.ByteBuf;
import io.slipstream.metrics.Count;
import io.slipstream.proxy.fastpath.link.LiveLink;
import io.slipstream.proxy.fastpath.link.SegmentGrants;
import io.slipstream.proxy.fastpath.link.WorkHandler;
import io.slipstream.rdma.CompletionStatus;
import java.util.concurrent.TimeUnit;

/**
 * The next range of a log that a client reads from one end to the other, read while the client works on what it got. One for each connection. What is
 * read ahead counts only as what it is: bytes that lay there under a grant that must still be good when they are served. Confined to the event loop.
 *
 * <pre>
 *   EMPTY ──start──▶ READING ──completed──▶ HELD ──handOver──▶ EMPTY
 *     ▲                 └──failed, dropped──┐ └──dropped──┐
 *     └─────────────────────────────────────┴─────────────┘
 * </pre>
 */
final class ReadAhead implements WorkHandler {
    /** A client that comes back later than that works on other things; others may need the memory. */
    static final long HOLD_NS = TimeUnit.SECONDS.toNanos(1);

    private final ReadBudget budget;
    private final Count bytesHeld;
    private final Runnable onDone;

    private LiveLink link;
    private SegmentGrants.Segment segment;
    private int generation;
    private int position;
    private int lengthBytes;
    private int roomBytes;
    private ByteBuf memory;
    /** Where to read once the client has its answer; null for nowhere. */
    private Cursor planned;

    private int plannedBytes;
    private int plannedRoom;
    private int outstanding;
    private boolean unwanted;
    private long dropAtNs;

    /** @param onDone run when nothing is outstanding any more, last */
    ReadAhead(ReadBudget budget, Count bytesHeld, Runnable onDone) {
        this.budget = budget;
        this.bytesHeld = bytesHeld;
        this.onDone = onDone;
    }

    /**
     * Notes where to read on, see {@link #startPlanned}.
     *
     * @param length bytes that lie below the high watermark and within the segment's region, from where the cursor will stand
     * @param room to leave before and after them for an answer's fields
     */
    void plan(Cursor cursor, int length, int room) {
        planned = cursor;
        plannedBytes = length;
        plannedRoom = room;
    }

    void unplan() {
        planned = null;
    }

    /** Reads what was planned, if anything, there is memory to spare and nothing read ahead yet. */
    void startPlanned(LiveLink onLink) {
        Cursor cursor = planned;
        planned = null;
        int size = plannedBytes + 2 * plannedRoom;
        if (cursor == null
                || !cursor.isLocated()
                || memory != null
                || !onLink.readMemory().hasSpare(size)
                || !budget.tryTakeSpare(size)) {
            return;
        }
        memory = onLink.readMemory().take(size);
        if (memory == null) {
            budget.giveBack(size);
            return;
        }
        link = onLink;
        // The region must outlast the READs even if the cursor leaves it meanwhile.
        segment = link.segments().retain(cursor.segment.memory());
        generation = cursor.generation;
        position = cursor.position;
        lengthBytes = plannedBytes;
        roomBytes = plannedRoom;
        unwanted = false;
        dropAtNs = System.nanoTime() + HOLD_NS;
        bytesHeld.add(lengthBytes);
        post();
    }

    private void post() {
        long remote = segment.memory().address() + position;
        int rkey = segment.memory().rkey();
        for (int from = 0; from < lengthBytes; from += DataReader.MOST_READ_BYTES) {
            int length = Math.min(lengthBytes - from, DataReader.MOST_READ_BYTES);
            if (!link.read(this, memory.memoryAddress() + roomBytes + from, length, remote + from, rkey)) {
                drop();
                return;
            }
            outstanding++;
        }
    }

    @Override
    public void onWorkCompleted(CompletionStatus status, int byteLen) {
        outstanding--;
        unwanted |= status != CompletionStatus.SUCCESS;
        if (outstanding == 0) {
            if (unwanted) {
                free();
            }
            onDone.run();
        }
    }

    boolean isReading() {
        return outstanding > 0;
    }

    boolean isHeld() {
        return memory != null && outstanding == 0;
    }

    /** When what is held should be dropped; {@link System#nanoTime()}. */
    long dropAtNs() {
        return dropAtNs;
    }

    /** Whether the bytes that are to be served next from there are among those read, or being read. */
    boolean covers(LiveLink onLink, Cursor cursor, int length, int room) {
        return memory != null
                && !unwanted
                && link == onLink
                && generation == cursor.generation
                && position == cursor.position
                && segment.memory().equals(cursor.segment.memory())
                && length <= lengthBytes
                && room <= roomBytes;
    }

    /** Room before the first byte read. */
    int roomBytes() {
        return roomBytes;
    }

    /** Bytes taken from the budget. */
    int budgetedBytes() {
        return lengthBytes + 2 * roomBytes;
    }

    /** Gives the buffer and its share of the budget away; only while {@link #isHeld}. */
    ByteBuf handOver() {
        ByteBuf handed = memory;
        forget();
        return handed;
    }

    /** What is read ahead is of no use. The buffer belongs to the READs until they have completed. */
    void drop() {
        unwanted = true;
        if (memory != null && outstanding == 0) {
            free();
        }
    }

    private void free() {
        ByteBuf freed = memory;
        budget.giveBack(budgetedBytes());
        forget();
        freed.release();
    }

    private void forget() {
        memory = null;
        bytesHeld.add(-lengthBytes);
        link.segments().release(segment);
        segment = null;
    }
}
