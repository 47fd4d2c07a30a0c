package io.slipstream.broker.landing;

import io.slipstream.broker.metrics.PluginMeter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * One partition's active segment, lent to one link, which places batches at its end.
 *
 * <pre>
 *   PREPARED ──begun by the proxy, nobody else wrote lately──▶ ACTIVE ──somebody else wants to append──▶ REVOKED
 *       │                                                        │ ended by the proxy, link lost            │
 *       │                                                        ▼                                          │
 *       │ link lost, log rolled or cut, ...                   DRAINING ◀─────ended by the proxy, link lost──┘
 *       ▼                                                        ▼ every announced batch was handled
 *     CANCELLED ───────────the proxy's access fenced──────▶ ENDED, the file cut to the log's bytes
 * </pre>
 *
 * <p>In PREPARED everybody appends as ever, over the zeros of the window. Nobody but the link's batches is appended from ACTIVE to ENDED: the hooks have
 * others wait ({@link LandingTable#awaitRelease}). So what lies behind the log's end is, in this order: batches that were announced and not handled yet, batches that were not announced yet, zeros. Each begins with a
 * length of zero, where recovery ends a log that was not closed.
 *
 * <p>{@code expected}, {@code handledTo} and {@code pending} belong to the owner of the link's ring; {@code window} to the landing thread; the
 * state changes under this object's monitor.
 */
public final class Landing implements Grant {
    /** See the diagram. */
    enum State {
        PREPARED,
        CANCELLED,
        ACTIVE,
        REVOKED,
        DRAINING,
        ENDED
    }

    /** How long nobody else must have written to the partition. Longer than anyone takes from looking here to the log's lock. */
    static final long ALONE_NS = TimeUnit.MILLISECONDS.toNanos(20);

    private static final int SMALLEST_ROOM_BYTES = 4096;

    private final LandingTable table;
    private final LandableLog log;
    private final LandableLog.ActiveSegment segment;
    private final LandingLink link;
    private final int id;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    private volatile State state = State.PREPARED;
    /** The newest; the batches of the one before it may still be on their way. */
    private volatile LandingWindow window;

    private volatile LandingWindow previousWindow;
    private volatile long othersAtNs;

    private final List<LandingWindow> retired = new ArrayList<>();
    private int expected;
    private int handledTo;
    private int pending;
    private LandingWindow handling;
    private boolean finishing;

    /** @param publishedAtNs since when others are noticed, {@link System#nanoTime} */
    Landing(
            LandingTable table,
            LandableLog log,
            LandableLog.ActiveSegment segment,
            LandingLink link,
            int id,
            long publishedAtNs) {
        this.table = table;
        this.log = log;
        this.segment = segment;
        this.link = link;
        this.id = id;
        this.othersAtNs = publishedAtNs;
    }

    LandableLog log() {
        return log;
    }

    LandableLog.ActiveSegment segment() {
        return segment;
    }

    @Override
    public LandingLink link() {
        return link;
    }

    @Override
    public int id() {
        return id;
    }

    State state() {
        return state;
    }

    /** Completes when anyone may append again. */
    public CompletableFuture<Void> ended() {
        return ended;
    }

    LandingWindow window() {
        return window;
    }

    LandingWindow previousWindow() {
        return previousWindow;
    }

    /** Landing thread. */
    void extend(LandingWindow next) {
        previousWindow = window;
        window = next;
    }

    /** Landing thread: nothing comes through the window before the newest any more. */
    void retirePrevious() {
        retired.add(previousWindow);
        previousWindow = null;
    }

    /** Landing thread: windows that are not registered any more, whose batches may still be in the broker's hands. */
    List<LandingWindow> retired() {
        return retired;
    }

    /** Somebody else appends while this is only prepared; any thread. */
    void sawOthers() {
        othersAtNs = System.nanoTime();
    }

    /** From here on only announced batches are appended. */
    @Override
    public int begin() {
        synchronized (log.monitor()) {
            int end = segment.sizeBytes();
            boolean alone = System.nanoTime() - othersAtNs > ALONE_NS;
            boolean room = window != null && window.holds(end, SMALLEST_ROOM_BYTES);
            if (!alone) {
                table.contention().observed(log.topic(), log.partition());
            }
            if (alone && room && log.refusal() == null && activate()) {
                expected = end;
                handledTo = end;
                table.counters().increment(PluginMeter.LANDINGS_BEGUN);
                return end;
            }
        }
        if (cancel()) {
            table.finish(this);
        }
        return -1;
    }

    private synchronized boolean activate() {
        if (state == State.PREPARED) {
            state = State.ACTIVE;
            return true;
        }
        return false;
    }

    /** It was never begun and never will be. True if this call did that; the caller then has it finished. */
    synchronized boolean cancel() {
        if (state == State.PREPARED) {
            state = State.CANCELLED;
            return true;
        }
        return false;
    }

    /** Whether others may append at once. */
    boolean isOpen() {
        State now = state;
        return now == State.PREPARED || now == State.CANCELLED || now == State.ENDED;
    }

    /** Somebody else wants to append. True if the proxy is to be told. */
    synchronized boolean revoke() {
        if (state == State.ACTIVE) {
            state = State.REVOKED;
            return true;
        }
        return false;
    }

    /** Landing thread, as its last act. */
    void end() {
        synchronized (this) {
            state = State.ENDED;
        }
        ended.complete(null);
    }

    @Override
    public LandingWindow take(int position, int lengthBytes, int order) {
        State now = state;
        if ((now != State.ACTIVE && now != State.REVOKED)
                || position != expected
                || lengthBytes <= LandedLengths.OVERHEAD_BYTES) {
            return null;
        }
        LandingWindow before = previousWindow;
        LandingWindow newest = window;
        if (before != null && before.holds(position, lengthBytes) && !newest.holds(position, lengthBytes)) {
            newest = before;
        } else if (!newest.holds(position, lengthBytes)) {
            return null;
        } else if (before != null && position + lengthBytes > before.end()) {
            table.retire(this, before);
        }
        expected = position + lengthBytes;
        pending++;
        return newest;
    }

    /** A copy if its place will be needed: an announced batch before it was refused or a duplicate. */
    @Override
    public ByteBuffer handle(LandingWindow holding, int position, int lengthBytes) {
        handling = holding;
        handledTo = position + lengthBytes;
        ByteBuffer batch = holding.view(position, lengthBytes);
        return segment.sizeBytes() == position ? batch : InPlaceAppend.copyOf(batch);
    }

    /** Where the batch being handled lies. Handler thread. */
    LandingWindow handling() {
        return handling;
    }

    /** Where the batch being handled ends; all before it was handled. Handler thread. */
    int handledTo() {
        return handledTo;
    }

    @Override
    public void handled(LandingWindow holding, int position, int lengthBytes) {
        if (segment.sizeBytes() <= position) {
            ByteBuffer batch = holding.view(position, lengthBytes);
            for (int i = 0; i < lengthBytes; i++) {
                batch.put(i, (byte) 0);
            }
            table.revoke(this);
        }
        pending--;
        endIfDrained();
    }

    @Override
    public void drain(boolean leavesHoles) {
        synchronized (this) {
            if (state == State.ACTIVE || state == State.REVOKED) {
                state = State.DRAINING;
            }
        }
        if (cancel()) {
            table.finish(this);
        } else {
            endIfDrained();
        }
    }

    private void endIfDrained() {
        if (pending == 0 && state == State.DRAINING && !finishing) {
            finishing = true;
            table.finish(this);
        }
    }
}
