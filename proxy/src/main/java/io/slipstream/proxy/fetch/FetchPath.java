// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import io.slipstream.link.LinkMeters;
import io.slipstream.link.LiveLink;
import io.slipstream.link.ReadAccount;
import io.slipstream.link.RoomWaiter;
import io.slipstream.link.read.SlotWaiter;
import io.slipstream.link.work.CompletionHandler;
import io.slipstream.protocol.fetch.FetchRequestView;
import io.slipstream.protocol.fetch.SessionlessFetch;
import io.slipstream.protocol.record.BatchHeader;
import io.slipstream.protocol.slot.SlotView;
import io.slipstream.protocol.wire.RequestHeaderView;
import io.slipstream.proxy.config.FastPathSettings;
import io.slipstream.proxy.count.PartitionTable;
import io.slipstream.proxy.spi.AnswerTranslation;
import io.slipstream.proxy.spi.FallbackReason;
import io.slipstream.proxy.spi.PendingRequest;
import io.slipstream.rdma.CompletionStatus;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.protocol.Errors;

/**
 * The Fetch requests of one client connection, one at a time, each carried through these phases on the event loop. Every arrow out of a
 * reading phase is taken when all its READs have completed; {@link FetchPlanner} chooses it.
 *
 * <pre>
 *   IDLE ──submit──▶ LOCATING ──▶ READING_SLOTS ──▶ READING_DATA ──▶ RECHECKING ──(LISTING)──respond──▶ IDLE
 *                       ▲             │  ▲  │  ▲                         │
 *                       └─────────────┘  │  │  └── slot revoked or ──────┘
 *                          not located   │  │       given away meanwhile
 *                                        │  ├──▶ PROBING (size of the first batch) ──▶ planned again
 *                                        │  └──▶ armed, read once more, then PARKED
 *                                        └───────── doorbell, maximal wait over ──────────┘
 *   any ──refused, stale, link lost, deadline──▶ fall back ──▶ IDLE
 * </pre>
 *
 * LISTING asks for the aborted transactions that a read_committed answer must list and that no earlier answer did ({@link AbortedLists}).
 * A Fetch has no side effect, so it may fall back from every phase. The client's fetch session is kept here ({@link ClientFetchSession}), whichever
 * way its requests take. This class is longer than most because the phases share their state and are easier to check against the diagram in one place.
 */
public final class FetchPath implements CompletionHandler, SlotWaiter, RoomWaiter {
    private enum Phase {
        IDLE,
        LOCATING,
        READING_SLOTS,
        PROBING,
        READING_DATA,
        RECHECKING,
        LISTING,
        PARKED
    }

    private static final int MOST_SLOT_RETRIES = 16;
    private static final int MOST_LOCATE_ROUNDS = 4;
    private static final int MOST_RESTARTS = 4;
    /** While a writer was interrupted in the middle of a slot. */
    private static final long SLOT_PAUSE_NS = TimeUnit.MICROSECONDS.toNanos(200);

    private static final int MOST_SLOT_PAUSES = 100;

    private final EventLoop loop;
    private final LinkMeters meters;
    private final SharedReads reads;
    private final int mostPartitions;
    private final long locateWaitNs;
    private final Runnable onSessionUnknown;

    private final RequestHeaderView header = new RequestHeaderView();
    private final FetchRequestView view = new FetchRequestView();
    private final FetchPlanner planner = new FetchPlanner();
    private final ReadPlan plan = new ReadPlan();
    private final SlotView rechecked = new SlotView();
    private final SlotReader slots;
    private final ClientFetchSession fetchSession;
    private final CursorTable cursors;
    private final DataReader data;
    private final ReadAhead ahead;
    private final Runnable readAhead = this::readAhead;
    private final ResponseAssembly assembly;
    private final AbortedLists aborted = new AbortedLists(this::onListed);
    private final Locator locator;
    private final RecordCut recordCut;
    private final BatchProbe probe = new BatchProbe();
    private final FallbackHold hold = new FallbackHold();
    private final Runnable onTimer = this::onTimer;

    private Phase phase = Phase.IDLE;
    private LiveLink link;
    private int sessionId;
    private ReadAccount account;
    private PendingRequest request;
    private ByteBuffer frame;
    private int outstanding;
    private boolean awaitingRoom;
    /** How many chunks had been read before the slots were: of bytes from these no second look at the slots is needed. */
    private long chunksBeforeSlots;
    /** Why this request must fall back once nothing is outstanding any more. */
    private FallbackReason failure;

    private boolean closed;
    /** The proxy is about to stop: answers what there is. */
    private boolean mayNotWait;

    private int slotRetries;
    private int slotPauses;
    private int locateRounds;
    private int restarts;
    private boolean armed;
    private boolean rang;
    private boolean noWaitLeft;
    /** The last answer was empty: the slots are armed before the first look at them, and so looked at once only. */
    private boolean expectsWait;

    private long waitUntilNs;
    private long parkedUntilNs;
    private long locateUntilNs;
    private long timerAtNs = Long.MAX_VALUE;
    private Runnable afterClose;

    /**
     * @param partitions where what is served is counted for those who look on
     * @param onSessionUnknown run when the plugin does not know the session any more although the link is up
     */
    public FetchPath(
            EventLoop loop,
            ByteBufAllocator allocator,
            LinkMeters meters,
            SharedReads reads,
            FetchSessions sessions,
            FastPathSettings settings,
            PartitionTable partitions,
            Runnable onSessionUnknown) {
        this.loop = loop;
        this.meters = meters;
        this.reads = reads;
        this.mostPartitions = settings.partitionsPerFetch();
        this.locateWaitNs = settings.locateWaitNs();
        this.onSessionUnknown = onSessionUnknown;
        this.slots = new SlotReader();
        this.fetchSession = new ClientFetchSession(sessions, settings.partitionsPerFetch());
        this.cursors = new CursorTable(this, meters.grants, partitions, 2 * mostPartitions);
        this.data = new DataReader(reads.budget());
        this.locator = new Locator(cursors, this::onLocated);
        this.recordCut = new RecordCut(cursors, data, aborted);
        this.ahead = new ReadAhead(reads, this::onChunkRead);
        this.assembly = new ResponseAssembly(allocator);
    }

    /** Takes a Fetch; {@code onLink} is up and {@code session} bound on it. One at a time. */
    public void submit(LiveLink onLink, int session, PendingRequest fetch) {
        if (phase != Phase.IDLE || closed) {
            fetch.fallBack(FallbackReason.NOT_ELIGIBLE);
            return;
        }
        link = onLink;
        sessionId = session;
        account = onLink.reads().of(session);
        if (!take(fetch, null)) {
            return;
        }
        FallbackReason reason =
                FetchEligibility.reasonAgainst(view, link.hello().replicaSelector(), mostPartitions);
        if (reason != null) {
            passOn(reason);
            return;
        }
        if (view.partitionCount() == 0) {
            plan.reset(0);
            respond();
            return;
        }
        long now = System.nanoTime();
        FallbackReason held = hold.reasonAt(now);
        if (held != null) {
            answerByBroker(held, true);
        } else if (!account.mayAllow(view.minBytes())) {
            answerByBroker(FallbackReason.QUOTA, true);
        } else if (!cursors.resolve(view.partitions(), now)) {
            passOn(FallbackReason.NOT_ELIGIBLE);
        } else {
            begin(now);
            link.drain();
        }
    }

    /** For what only the broker can answer, and will have to again. */
    private void passOn(FallbackReason reason) {
        fetchSession.passedOn();
        answerByBroker(reason, false);
    }

    /** Falls back without any link. */
    public void fallBack(PendingRequest fetch, FallbackReason reason) {
        if (phase != Phase.IDLE || closed || !fetchSession.isOpen()) {
            fetch.fallBack(reason);
        } else if (take(fetch, reason)) {
            answerByBroker(reason, false);
        }
    }

    /** Whether the broker does not know the fetch session that the client may go on with. */
    public boolean hasSession() {
        return fetchSession.isOpen();
    }

    /** Takes the request apart and enters its fetch session; false if it is done with then. */
    private boolean take(PendingRequest fetch, FallbackReason anyway) {
        request = fetch;
        ahead.unplan();
        frame = fetch.frame().nioBuffer();
        if (!header.wrap(frame) || !view.wrap(frame, header.bodyPosition(), header.apiVersion())) {
            end().fallBack(anyway == null ? FallbackReason.NOT_ELIGIBLE : anyway);
            return false;
        }
        switch (fetchSession.enter(view)) {
            case ENTERED -> {
                return true;
            }
            case OF_BROKER -> end().fallBack(anyway == null ? FallbackReason.NOT_ELIGIBLE : anyway);
            case REFUSED -> {
                Errors error = fetchSession.refusal();
                end().respond(assembly.error(view.version(), header.correlationId(), error));
            }
        }
        return false;
    }

    private void begin(long now) {
        failure = null;
        slotRetries = 0;
        slotPauses = 0;
        locateRounds = 0;
        restarts = 0;
        armed = false;
        rang = false;
        noWaitLeft = false;
        waitUntilNs = mayNotWait ? now : now + TimeUnit.MILLISECONDS.toNanos(Math.max(0, view.maxWaitMs()));
        readSlotsOrLocate(view.partitionCount());
    }

    private void readSlotsOrLocate(int entries) {
        plan.reset(entries);
        boolean locate = false;
        for (int i = 0; i < entries; i++) {
            if (!cursors.entries()[i].standsAt(view.fetchOffset(i), view.lastFetchedEpoch(i))) {
                plan.locate[i] = true;
                locate = true;
            }
        }
        if (locate) {
            locate();
        } else if (expectsWait && view.maxWaitMs() > 0) {
            arm();
        } else {
            readSlots(Phase.READING_SLOTS);
        }
    }

    // Locating

    private void locate() {
        if (++locateRounds > MOST_LOCATE_ROUNDS) {
            fallBack(FallbackReason.NOT_READABLE);
            return;
        }
        unpark();
        cursors.dropIdle(link, sessionId, System.nanoTime());
        phase = Phase.LOCATING;
        locator.ask(link, sessionId, view, plan);
        locateUntilNs = System.nanoTime() + locateWaitNs;
        ensureTimer(locateUntilNs);
    }

    private void onLocated() {
        FallbackReason refusal = locator.refusal();
        if (refusal == null) {
            readSlots(Phase.READING_SLOTS);
            link.drain();
            return;
        }
        fallBack(refusal);
        if (refusal == FallbackReason.SESSION_NOT_BOUND) {
            onSessionUnknown.run();
        }
    }

    // Reading

    private void readSlots(Phase into) {
        if (link.lease().isAging()) {
            // Completes before the slots do.
            link.refreshLease();
        }
        phase = into;
        chunksBeforeSlots = reads.completions();
        if (slots.begin(link.readMemory(), cursors.entries(), view.partitionCount())) {
            count(slots.postMore(link, this));
        } else {
            fallBack(FallbackReason.LIMIT);
        }
    }

    /** Counts posted READs; none means that the link takes no more, for now or for ever. */
    private void count(int posted) {
        outstanding += posted;
        if (posted > 0) {
            return;
        }
        if (link.isUp()) {
            awaitingRoom = true;
            link.awaitRoom(this);
        } else {
            fallBack(FallbackReason.LINK_DOWN);
        }
    }

    @Override
    public void onRoom() {
        if (!awaitingRoom) {
            return;
        }
        awaitingRoom = false;
        switch (phase) {
            case READING_SLOTS, RECHECKING -> count(slots.postMore(link, this));
            case READING_DATA -> count(data.postMore(link, this, cursors.entries(), plan));
            case PROBING -> probe();
            default -> throw new IllegalStateException("room for phase " + phase);
        }
    }

    @Override
    public void onWorkCompleted(CompletionStatus status, int byteLen) {
        outstanding--;
        if (status != CompletionStatus.SUCCESS && failure == null) {
            failure = FallbackReason.LINK_DOWN;
        }
        if (outstanding > 0) {
            return;
        }
        if (closed) {
            if (!ahead.isReading()) {
                giveBack();
            }
        } else if (failure != null) {
            fallBack(failure);
        } else {
            onAllCompleted();
        }
    }

    private void onAllCompleted() {
        switch (phase) {
            case READING_SLOTS -> {
                if (slots.isAllPosted()) {
                    decide();
                } else {
                    count(slots.postMore(link, this));
                }
            }
            case PROBING -> onProbed();
            case READING_DATA -> {
                if (data.isAllPosted()) {
                    readSlots(Phase.RECHECKING);
                } else {
                    count(data.postMore(link, this, cursors.entries(), plan));
                }
            }
            case RECHECKING -> {
                if (slots.isAllPosted()) {
                    recheck();
                } else {
                    count(slots.postMore(link, this));
                }
            }
            default -> throw new IllegalStateException("completion in phase " + phase);
        }
    }

    private void decide() {
        if (!link.lease().isFresh()) {
            fallBack(FallbackReason.STALE_SLOTS);
            return;
        }
        int mostBytes = Math.min(
                account.mostBytes(),
                Math.min(link.hello().fetchMaxBytes(), link.readMemory().mostBytes()));
        planner.plan(view, cursors.entries(), slots, mostBytes, noWaitLeft, fetchSession.order(), plan);
        switch (plan.kind) {
            case READ -> {
                if (plan.totalBytes == 0 || account.allows(plan.totalBytes)) {
                    readData();
                } else {
                    fallBack(FallbackReason.QUOTA);
                }
            }
            case WAIT -> park();
            case LOCATE -> {
                meters.readsRevoked.add(plan.revoked);
                locate();
            }
            case PROBE -> probe();
            case RETRY_SLOTS -> retrySlots(Phase.READING_SLOTS);
            case FALL_BACK -> fallBack(plan.reason);
            default -> throw new IllegalStateException("plan " + plan.kind);
        }
    }

    private void retrySlots(Phase into) {
        meters.slotRetries.increment();
        if (++slotRetries <= MOST_SLOT_RETRIES) {
            readSlots(into);
        } else if (++slotPauses <= MOST_SLOT_PAUSES) {
            data.release();
            sleep(System.nanoTime() + SLOT_PAUSE_NS);
        } else {
            fallBack(FallbackReason.REVOKED);
        }
    }

    private void probe() {
        Cursor cursor = cursors.entries()[plan.probeEntry];
        if (plan.availableBytes[plan.probeEntry] < BatchHeader.BYTES && !plan.windowed[plan.probeEntry]) {
            fallBack(FallbackReason.NOT_READABLE);
            return;
        }
        phase = Phase.PROBING;
        if (probe.begin(link.readMemory())) {
            count(probe.post(link, this, cursor) ? 1 : 0);
        } else {
            fallBack(FallbackReason.LIMIT);
        }
    }

    private void onProbed() {
        int entry = plan.probeEntry;
        long size = probe.takeSize();
        long limit = plan.windowed[entry] ? Integer.MAX_VALUE : plan.availableBytes[entry];
        if (size < BatchHeader.BYTES || size > limit) {
            fallBack(FallbackReason.NOT_READABLE);
        } else {
            // If it reaches beyond the region's end, the planner has it located anew.
            cursors.entries()[entry].nextBatchBytes = (int) size;
            decide();
        }
    }

    private void readData() {
        if (plan.partitionsToRead == 0) {
            respond();
            return;
        }
        int room = ResponseAssembly.roomBytes(view);
        ReadChunk chunk = plan.partitionsToRead == 1 ? chunkOf(plan.firstNonEmpty, room) : null;
        if (chunk != null) {
            readChunk(chunk);
        } else if (beginData(room) || (reads.dropIdle() && beginData(room))) {
            phase = Phase.READING_DATA;
            count(data.postMore(link, this, cursors.entries(), plan));
        } else {
            fallBack(FallbackReason.LIMIT);
        }
    }

    private boolean beginData(int room) {
        return data.begin(link.readMemory(), plan, view.partitionCount(), room);
    }

    private ReadChunk chunkOf(int entry, int room) {
        return ahead.find(link, cursors.entries()[entry], plan.lengthBytes[entry], room);
    }

    private void readChunk(ReadChunk chunk) {
        if (chunk.isReading()) {
            phase = Phase.READING_DATA;
            ahead.await(chunk);
            return;
        }
        boolean older = chunk.readAs() <= chunksBeforeSlots;
        data.adopt(chunk, cursors.entries()[plan.firstNonEmpty], plan, view.partitionCount());
        if (older) {
            cut();
        } else {
            readSlots(Phase.RECHECKING);
        }
    }

    /** A chunk that this request waits for, or that was begun here, is not being read any more. */
    private void onChunkRead(boolean awaited) {
        if (closed) {
            if (outstanding == 0 && !ahead.isReading()) {
                giveBack();
            }
        } else if (awaited) {
            readData();
        } else if (ahead.isHeld()) {
            ensureTimer(ahead.dropAtNs());
        }
    }

    /** The bytes count only if every slot still is what it was when they were planned. */
    private void recheck() {
        for (int i = 0; i < view.partitionCount(); i++) {
            slots.slotOf(i, rechecked);
            if (!rechecked.isConsistent()) {
                retrySlots(Phase.RECHECKING);
                return;
            }
            if (rechecked.generation() != cursors.entries()[i].generation || rechecked.isRevoked()) {
                data.release();
                if (++restarts > MOST_RESTARTS) {
                    fallBack(FallbackReason.REVOKED);
                } else {
                    readSlots(Phase.READING_SLOTS);
                }
                return;
            }
        }
        if (link.lease().isFresh()) {
            cut();
        } else {
            fallBack(FallbackReason.STALE_SLOTS);
        }
    }

    /** Answers with what was read, unless that is too little. */
    private void cut() {
        RecordCut.Outcome outcome = recordCut.cut(view, plan);
        if (outcome == RecordCut.Outcome.UNREADABLE) {
            fallBack(FallbackReason.NOT_READABLE);
        } else if (outcome == RecordCut.Outcome.STRADDLES && (recordCut.isEmpty() || ++restarts <= MOST_RESTARTS)) {
            // What stands at its region's end is known not to fit now, so the planner has it located anew.
            recordCut.skip(view, plan);
            recordCut.discard();
            decide();
        } else if (outcome == RecordCut.Outcome.TOO_LITTLE && ++restarts <= MOST_RESTARTS) {
            // Now it is known how many bytes lie below the limit.
            recordCut.discard();
            decide();
        } else if (view.isReadCommitted()) {
            listAborted();
        } else {
            recordCut.advance(view, plan);
            respond();
        }
    }

    /** Answers once the aborted transactions among the records are known. */
    private void listAborted() {
        phase = Phase.LISTING;
        int asked = aborted.ask(
                link, sessionId, view, plan, cursors.entries(), slots, recordCut.nextOffsets(), data.recordBytes());
        if (asked == 0) {
            recordCut.advance(view, plan);
            respond();
        } else {
            locateUntilNs = System.nanoTime() + locateWaitNs;
            ensureTimer(locateUntilNs);
        }
    }

    private void onListed() {
        if (aborted.isRefused()) {
            fallBack(link.isUp() ? FallbackReason.ABORTED_TRANSACTIONS : FallbackReason.LINK_DOWN);
            return;
        }
        if (aborted.limit(view, cursors.entries(), slots, recordCut.nextOffsets(), data.recordBytes(), plan)
                && !recordCut.cutAgain(view, plan)) {
            fallBack(FallbackReason.ABORTED_TRANSACTIONS);
            return;
        }
        recordCut.advance(view, plan);
        respond();
        link.drain();
    }

    private void respond() {
        hold.onAnswered();
        if (plan.partitionsToRead == 0) {
            data.forgetRecords(view.partitionCount());
        }
        meters.sharedReadBytes.add(data.bytesReadByOthers(plan));
        boolean shared = data.isShared();
        ByteBuf read = data.take();
        int named = fetchSession.answer(plan, data.recordBytes());
        ByteBuf response = assembly.respond(
                view,
                header.correlationId(),
                fetchSession.id(),
                plan,
                fetchSession.answered(),
                named,
                cursors.entries(),
                aborted,
                data.recordIndexes(),
                data.recordBytes(),
                read,
                shared);
        account.served(response.readableBytes() - PendingRequest.SIZE_BYTES);
        for (int i = 0; i < view.partitionCount(); i++) {
            Cursor cursor = cursors.entries()[i];
            int recordBytes = data.recordBytes()[i];
            link.reads().served(cursor.slot, cursor.generation, recordBytes);
            if (recordBytes > 0) {
                cursor.activity.fetchedByRdma(recordCut.recordCounts()[i], recordBytes);
            }
        }
        planAhead();
        expectsWait = plan.partitionsToRead == 0;
        // An answer without a cut, an empty one, has none.
        long answeredRecords = recordCut.takeRecords();
        PendingRequest answered = end();
        answered.respond(response, answeredRecords);
    }

    private void planAhead() {
        if (plan.partitionsToRead == 1
                && account.mostBytes() == Integer.MAX_VALUE
                && ahead.planAfter(
                        plan, data, cursors.entries()[plan.firstNonEmpty], ResponseAssembly.roomBytes(view))) {
            loop.execute(readAhead);
        }
    }

    /** After the answer has left. */
    private void readAhead() {
        if (phase == Phase.IDLE && !closed && link.isUp()) {
            ahead.startPlanned(link);
            link.drain();
        }
    }

    // Waiting

    private void park() {
        if (armed && !rang) {
            sleep(waitUntilNs);
            return;
        }
        arm();
    }

    private void arm() {
        armed = true;
        rang = false;
        if (!slots.arm(link, cursors.entries(), view.partitionCount())) {
            fallBack(link.isUp() ? FallbackReason.LIMIT : FallbackReason.LINK_DOWN);
            return;
        }
        for (int i = 0; i < view.partitionCount(); i++) {
            Cursor cursor = cursors.entries()[i];
            if (!cursor.parked.isParked()) {
                link.slots().park(cursor.parked, cursor.slot);
            }
        }
        // What changed before the words were armed rings no bell.
        readSlots(Phase.READING_SLOTS);
    }

    private void sleep(long untilNs) {
        phase = Phase.PARKED;
        slots.rest();
        meters.fetchWaits.increment();
        parkedUntilNs = untilNs;
        ensureTimer(untilNs);
    }

    /** Answers the request that waits, if one does, with what there is, and later ones as if their clients would not wait. */
    public void stopWaiting() {
        mayNotWait = true;
        waitUntilNs = System.nanoTime();
        if (phase == Phase.PARKED) {
            wake();
        }
    }

    private void wake() {
        meters.fetchWaits.decrement();
        armed = false;
        locateRounds = 0;
        noWaitLeft = waitUntilNs - System.nanoTime() <= 0;
        readSlots(Phase.READING_SLOTS);
        link.drain();
    }

    @Override
    public void onSlotChanged() {
        rang = true;
        if (phase == Phase.PARKED) {
            wake();
        }
    }

    /** One timer for all requests: it is not moved when a request ends early, and looks again when it fires. */
    private void ensureTimer(long atNs) {
        if (timerAtNs - atNs > 0) {
            timerAtNs = atNs;
            loop.schedule(onTimer, Math.max(0, atNs - System.nanoTime()), TimeUnit.NANOSECONDS);
        }
    }

    private void onTimer() {
        timerAtNs = Long.MAX_VALUE;
        long now = System.nanoTime();
        if (phase == Phase.LOCATING) {
            if (locateUntilNs - now > 0) {
                ensureTimer(locateUntilNs);
            } else {
                fallBack(FallbackReason.NOT_READABLE);
            }
        } else if (phase == Phase.LISTING) {
            if (locateUntilNs - now > 0) {
                ensureTimer(locateUntilNs);
            } else {
                fallBack(FallbackReason.ABORTED_TRANSACTIONS);
            }
        } else if (phase == Phase.PARKED) {
            if (parkedUntilNs - now > 0) {
                ensureTimer(parkedUntilNs);
            } else {
                wake();
            }
        } else if (phase == Phase.IDLE && ahead.isHeld()) {
            if (ahead.dropAtNs() - now > 0) {
                ensureTimer(ahead.dropAtNs());
            } else {
                ahead.drop();
            }
        }
    }

    private void unpark() {
        for (int i = 0; i < cursors.entryCount(); i++) {
            Cursor cursor = cursors.entries()[i];
            if (cursor != null) {
                link.slots().unpark(cursor.parked);
            }
        }
        armed = false;
    }

    // Ends

    /** Falls back, as soon as no READ is outstanding. */
    private void fallBack(FallbackReason reason) {
        if (outstanding > 0) {
            failure = reason;
            return;
        }
        hold.onFallBack(reason);
        answerByBroker(reason, true);
    }

    /** @param sessionless whether the broker is asked to keep no session, so that later full fetches can be served here */
    private void answerByBroker(FallbackReason reason, boolean sessionless) {
        if (fetchSession.isIncremental()) {
            ByteBuffer full = fetchSession.asked(frame, header.bodyPosition());
            AnswerTranslation translation = fetchSession.translation();
            end().fallBack(reason, full, translation);
            return;
        }
        if (sessionless && view.session().isFull()) {
            SessionlessFetch.patch(frame, header.bodyPosition(), view.version());
        }
        end().fallBack(reason);
    }

    /** Back to IDLE; the request is still to be answered by the caller, as the last thing it does. */
    private PendingRequest end() {
        PendingRequest ended = request;
        if (phase == Phase.PARKED) {
            meters.fetchWaits.decrement();
        }
        unpark();
        locator.abandon();
        aborted.abandon();
        data.release();
        ahead.drop();
        slots.rest();
        probe.release();
        request = null;
        frame = null;
        awaitingRoom = false;
        phase = Phase.IDLE;
        return ended;
    }

    /** The session is gone, and all grants with it. READs that were outstanding have been reported before. */
    public void onSessionLost() {
        if (phase != Phase.IDLE) {
            fallBack(FallbackReason.LINK_DOWN);
        }
        ahead.drop();
        if (link != null) {
            cursors.clear(link);
            reads.dropDeserted();
        }
    }

    /** The client is gone. {@code then} runs when nothing of this connection is read any more. Idempotent. */
    public void close(Runnable then) {
        if (closed) {
            return;
        }
        closed = true;
        afterClose = then;
        ahead.drop();
        if (outstanding == 0 && !ahead.isReading()) {
            giveBack();
        }
    }

    private void giveBack() {
        fetchSession.close();
        if (link != null) {
            end();
            cursors.clear(link);
            reads.dropDeserted();
        }
        slots.release();
        // Once: who is told of a chunk after that has not left it.
        Runnable then = afterClose;
        afterClose = null;
        then.run();
    }
}
