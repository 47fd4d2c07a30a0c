// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.netty.channel.EventLoop;
import io.slipstream.link.LinkMeters;
import io.slipstream.link.LiveLink;
import io.slipstream.link.ReadAccount;
import io.slipstream.link.meter.FallbackReason;
import io.slipstream.link.work.CompletionHandler;
import io.slipstream.protocol.fetch.FetchRequestView;
import io.slipstream.protocol.record.BatchHeader;
import io.slipstream.protocol.slot.SlotView;
import io.slipstream.proxy.config.FastPathSettings;
import io.slipstream.rdma.CompletionStatus;
import java.util.concurrent.TimeUnit;

/**
 * One Fetch on its way through the phases of {@link FetchPhase}. When all READs have completed, {@link FetchPlanner}
 * selects the next phase. A Fetch has no side effect, so it may fall back from every phase. Reused for all requests of
 * a client connection, one at a time. Confined to the event loop.
 */
final class FetchAttempt implements CompletionHandler {
    private static final int MOST_SLOT_RETRIES = 16;
    private static final int MOST_LOCATE_ROUNDS = 4;
    private static final int MOST_RESTARTS = 4;
    /** Pause for a writer that was interrupted in the middle of a slot. */
    private static final long SLOT_PAUSE_NS = TimeUnit.MICROSECONDS.toNanos(200);

    private static final int MOST_SLOT_PAUSES = 100;

    private final SharedReads reads;
    private final FetchPlanner planner = new FetchPlanner();
    private final SlotView rechecked = new SlotView();
    private final Runnable onRoom;
    private final Locator locator;
    private final BatchProbe probe = new BatchProbe();
    private final TailRead tail = new TailRead(this);
    final FetchPath path;
    final EventLoop loop;
    final LinkMeters meters;
    final FetchRequestView view;
    final ReadPlan plan = new ReadPlan();
    final SlotReader slots = new SlotReader();
    final FetchWait wait;
    final CursorTable cursors;
    final DataReader data;
    final ReadAhead ahead;
    final FetchAnswer answer;

    FetchPhase phase = FetchPhase.IDLE;
    LiveLink link;
    ReadAccount account;
    int sessionId;
    int outstanding;
    private boolean awaitingRoom;
    /** Number of chunks read before the slots. Data of these chunks needs no second check of the slots. */
    private long chunksBeforeSlots;
    /** Reason to fall back when no READ is outstanding any more. */
    private FallbackReason failure;

    private int slotRetries;
    private int slotPauses;
    private int locateRounds;
    private int restarts;

    /** @param path receives the outcome of attempts */
    FetchAttempt(FetchPath path, ResponseAssembly assembly, FetchResources shared) {
        FastPathSettings settings = shared.settings();
        this.path = path;
        this.onRoom = path.guarded(this::onRoom);
        this.loop = shared.loop();
        this.meters = shared.environment().meters();
        this.reads = shared.reads();
        this.view = path.view;
        this.wait = new FetchWait(this, settings.locateWaitNs(), settings.link().controlTimeoutNs());
        this.cursors = new CursorTable(
                path.guarded(wait::onSlotChanged),
                meters.grants,
                shared.partitions(),
                2 * settings.partitionsPerFetch());
        this.data = new DataReader(reads.budget);
        this.locator = new Locator(cursors, this);
        this.answer = new FetchAnswer(this, assembly);
        this.ahead = new ReadAhead(reads, this);
    }

    /** Whether READs may still write into memory of this connection. */
    boolean isReading() {
        return outstanding > 0 || ahead.isReading();
    }

    /** Starts with the request in the view, whose cursors are resolved. */
    void begin(long now) {
        failure = null;
        slotRetries = 0;
        slotPauses = 0;
        locateRounds = 0;
        restarts = 0;
        wait.begin(now, view.maxWaitMs);
        readSlotsOrLocate(view.partitions.count, now);
    }

    void readSlotsOrLocate(int entries, long now) {
        plan.reset(entries);
        boolean locate = false;
        for (int i = 0; i < entries; i++) {
            Cursor cursor = cursors.entries[i];
            if (cursor.refusals != null) {
                plan.refuse(i, cursor.refusals.reasonAt(now));
            }
            if (!cursor.standsAt(view.partitions.fetchOffset(i), view.partitions.lastFetchedEpoch(i))) {
                plan.entries[i].locate = true;
                locate = true;
            }
        }
        if (plan.isRefused) {
            path.divide();
        } else if (locate) {
            locate();
        } else if (wait.expected && view.maxWaitMs > 0) {
            wait.arm();
        } else {
            look(!wait.parkedLast);
        }
    }

    private void locate() {
        if (++locateRounds > MOST_LOCATE_ROUNDS) {
            locateRounds = 0;
            plan.refuseUnlocated(view.partitions.count);
            path.divide();
            return;
        }
        wait.unpark();
        cursors.dropIdle(link, sessionId, System.nanoTime());
        phase = FetchPhase.LOCATING;
        locator.ask(link, sessionId, view, plan);
        wait.awaitPlugin();
    }

    /** All requests of the locator are answered. */
    void onLocated() {
        FallbackReason refusal = locator.refusal;
        if (refusal != null) {
            fallBack(refusal);
        } else if (plan.isRefused) {
            path.divide();
        } else {
            readSlots(FetchPhase.READING_SLOTS);
        }
        if (refusal == FallbackReason.SESSION_NOT_BOUND) {
            path.onSessionUnknown.run();
        }
    }

    /** @param isDue whether the log probably has data by now */
    private void look(boolean isDue) {
        if (!isDue || !tail.begin()) {
            readSlots(FetchPhase.READING_SLOTS);
        }
    }

    void readSlots(FetchPhase into) {
        if (link.lease.isAging()) {
            // Completes before the slots do.
            link.lease.refresh();
        }
        phase = into;
        chunksBeforeSlots = reads.completions;
        tail.slotsAtNs = System.nanoTime();
        if (slots.begin(link.readMemory(), cursors.entries, view.partitions.count)) {
            count(slots.postMore(link, this));
        } else {
            fallBack(FallbackReason.LIMIT);
        }
    }

    /** Counts posted READs; none means that the link accepts no READ, temporarily or permanently. */
    private void count(int posted) {
        outstanding += posted;
        if (posted > 0) {
            return;
        }
        if (link.isUp()) {
            awaitingRoom = true;
            link.awaitRoom(onRoom);
        } else {
            fallBack(FallbackReason.LINK_DOWN);
        }
    }

    private void onRoom() {
        if (awaitingRoom) {
            awaitingRoom = false;
            postMore();
        }
    }

    /** Posts READs of the phase. */
    private void postMore() {
        switch (phase) {
            case READING_SLOTS, RECHECKING -> count(slots.postMore(link, this));
            case READING_DATA -> count(data.postMore(link, this, cursors.entries, plan));
            case PROBING -> probe();
            default -> throw new IllegalStateException("room for phase " + phase);
        }
    }

    @Override
    public void onWorkCompleted(CompletionStatus status, int byteLen) {
        outstanding--;
        wait.completions++;
        if (status != CompletionStatus.SUCCESS && failure == null) {
            failure = FallbackReason.LINK_DOWN;
        }
        if (outstanding > 0) {
            return;
        }
        try {
            if (path.closed) {
                onChunkRead();
            } else if (failure != null) {
                fallBack(failure);
            } else {
                onAllCompleted();
            }
        } catch (Throwable e) {
            path.onThrown(e);
        }
    }

    private void onAllCompleted() {
        if (phase != FetchPhase.PROBING
                && !(phase == FetchPhase.READING_DATA ? data.isAllPosted() : slots.isAllPosted())) {
            postMore();
            return;
        }
        switch (phase) {
            case READING_SLOTS, READING_TAIL -> decide();
            case PROBING -> onProbed();
            case READING_DATA -> readSlots(FetchPhase.RECHECKING);
            case RECHECKING -> recheck();
            default -> throw new IllegalStateException("completion in phase " + phase);
        }
    }

    void decide() {
        if (!link.lease.isFresh()) {
            fallBack(FallbackReason.STALE_SLOTS);
            return;
        }
        int mostBytes = Math.min(
                Math.min(account.mostBytes(), reads.budget.shareBytes()),
                Math.min(link.hello().fetchMaxBytes(), link.readMemory().mostBytes()));
        planner.plan(view, cursors.entries, slots, mostBytes, wait.over, path.fetchSession.order(), plan);
        boolean isRead = tail.isPlanned();
        if (path.split != null && path.split.leavesAll(plan)) {
            path.answerByBroker(path.split.reason, true);
            return;
        }
        switch (plan.kind) {
            case READ -> {
                if (plan.totalBytes > 0 && !account.allows(plan.totalBytes)) {
                    fallBack(FallbackReason.QUOTA);
                } else if (isRead) {
                    slots.useLaterCopy();
                    recheck();
                } else {
                    readData();
                }
            }
            case WAIT -> wait.park();
            case LOCATE -> {
                meters.readsRevoked.add(plan.revoked);
                locate();
            }
            case PROBE -> probe();
            case RETRY_SLOTS -> retrySlots(FetchPhase.READING_SLOTS);
            case SPLIT -> path.divide();
            default -> throw new IllegalStateException("plan " + plan.kind);
        }
    }

    private void retrySlots(FetchPhase into) {
        meters.slotRetries.increment();
        if (++slotRetries <= MOST_SLOT_RETRIES) {
            readSlots(into);
        } else if (++slotPauses <= MOST_SLOT_PAUSES) {
            data.release();
            wait.sleep(System.nanoTime() + SLOT_PAUSE_NS);
        } else {
            fallBack(FallbackReason.REVOKED);
        }
    }

    private void probe() {
        Cursor cursor = cursors.entries[plan.probeEntry];
        ReadPlan.Entry entry = plan.entries[plan.probeEntry];
        if (entry.availableBytes < BatchHeader.BYTES && !entry.windowed) {
            path.divideAt(plan.probeEntry);
            return;
        }
        phase = FetchPhase.PROBING;
        if (probe.begin(link.readMemory())) {
            count(probe.post(link, this, cursor) ? 1 : 0);
        } else {
            fallBack(FallbackReason.LIMIT);
        }
    }

    private void onProbed() {
        int sizeBytes = probe.takeSize(plan.entries[plan.probeEntry]);
        if (sizeBytes < 0) {
            path.divideAt(plan.probeEntry);
        } else {
            // If the batch exceeds the region, the planner locates it again.
            cursors.entries[plan.probeEntry].nextBatchBytes = sizeBytes;
            decide();
        }
    }

    private void readData() {
        if (plan.partitionsToRead == 0) {
            answer.respond();
            return;
        }
        int room = ResponseAssembly.roomBytes(view);
        ReadChunk chunk = plan.partitionsToRead == 1 ? ahead.find(link, cursors.entries, plan, room) : null;
        if (chunk != null) {
            readChunk(chunk);
        } else if (beginData(room) || (reads.dropIdle() && beginData(room))) {
            phase = FetchPhase.READING_DATA;
            count(data.postMore(link, this, cursors.entries, plan));
        } else {
            fallBack(FallbackReason.LIMIT);
        }
    }

    private boolean beginData(int room) {
        return data.begin(link.readMemory(), plan, view.partitions.count, room);
    }

    private void readChunk(ReadChunk chunk) {
        if (chunk.isReading()) {
            phase = FetchPhase.READING_DATA;
            ahead.await(chunk);
            return;
        }
        boolean older = chunk.readAs <= chunksBeforeSlots;
        data.adopt(chunk, cursors.entries[plan.firstNonEmpty], plan);
        if (older) {
            answer.cut();
        } else {
            readSlots(FetchPhase.RECHECKING);
        }
    }

    /** Called last when a chunk that this connection started was read or failed. */
    void onChunkRead() {
        if (path.closed) {
            if (outstanding == 0 && !ahead.isReading()) {
                path.giveBack();
            }
        } else if (ahead.isHeld()) {
            wait.ensureTimer(ahead.dropAtNs());
        }
    }

    /**
     * Called last when the chunk that this request waits for was read, or will never be. If it cannot be used, the
     * slots are read again: by now they may be older than a lease, and a READ could meet a released region.
     */
    void onAwaitedChunk(ReadChunk chunk) {
        int entry = plan.firstNonEmpty;
        if (path.closed) {
            onChunkRead();
        } else if (chunk.isReady() && chunk.covers(cursors.entries[entry], plan.entries[entry].lengthBytes)) {
            readChunk(chunk);
        } else {
            restart();
        }
    }

    private void restart() {
        if (mayRestart()) {
            readSlots(FetchPhase.READING_SLOTS);
        } else {
            fallBack(FallbackReason.REVOKED);
        }
    }

    /** The data is valid only if every slot is unchanged since it was planned. */
    private void recheck() {
        for (int i = 0; i < view.partitions.count; i++) {
            slots.slotOf(i, rechecked);
            if (!rechecked.isConsistent()) {
                retrySlots(FetchPhase.RECHECKING);
                return;
            }
            if (rechecked.generation() != cursors.entries[i].generation || rechecked.isRevoked()) {
                data.release();
                restart();
                return;
            }
        }
        if (link.lease.isFresh()) {
            answer.cut();
        } else {
            fallBack(FallbackReason.STALE_SLOTS);
        }
    }

    /** Falls back as soon as no READ is outstanding. */
    void fallBack(FallbackReason reason) {
        if (outstanding > 0) {
            failure = reason;
            return;
        }
        path.onFallBack(reason);
    }

    /** Reads the slots again: something may have changed, or the wait is over. */
    void onWake() {
        locateRounds = 0;
        look(!wait.over);
    }

    /** Whether the request may be planned once more after unexpected data. */
    boolean mayRestart() {
        return ++restarts <= MOST_RESTARTS;
    }

    /** Returns to IDLE and drops all state of the request. */
    void end() {
        wait.end();
        locator.abandon();
        answer.aborted.abandon();
        data.release();
        ahead.drop();
        slots.rest();
        probe.release();
        awaitingRoom = false;
        phase = FetchPhase.IDLE;
    }
}
