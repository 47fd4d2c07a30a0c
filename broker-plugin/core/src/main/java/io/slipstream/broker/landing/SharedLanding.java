package io.slipstream.broker.landing;

import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.protocol.ring.PlaceWord;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One partition's active segment, lent to several links at once. They and the broker's other appends reserve order and place ({@link ReservationWord}) and
 * are appended in that order, each where its place is, as {@link Turn}s.
 *
 * <pre>
 *   PREPARED ──first link begins, nobody appends──▶ ACTIVE ──a hole, a refused batch, full, who must cut or roll, last link left──▶ CLOSING
 *      └──────────────────────── rolled, cut, last link left ───────────────────────────────────────────────────────────────────────▲ │
 *                                                                                          every link ended, nobody appends: fenced,│ │
 *                                                                                                        batches copied, file cut   │ ▼
 *   ENDED ◀──────────────────────────────── every copied batch was handled ────────────────────────────────────────────────────── DRAINING
 * </pre>
 *
 * <p>A file has no holes, so whatever is not appended where its place is ends the landing: a duplicate, an order whose writer died or is slow, a writer who
 * reserved more than there is room for. What was announced by then is copied, once no link can write any more, and appended before anyone else; what was
 * reserved by the broker itself just waits and is appended as ever. So everybody is answered as if nothing had been placed.
 *
 * <p>One piece, though long: who may append, and when it is given up, is decided here alone; whose turn it is by {@link TurnOrder}, what takes time by
 * {@link SharedLandingWork}.
 *
 * <p>All state is guarded by this object's monitor, under which nothing blocks but {@link #begin} and, where the device reserves for the broker, {@link #reserve}.
 */
final class SharedLanding {
    /** See the diagram. */
    enum State {
        PREPARED,
        ACTIVE,
        CLOSING,
        DRAINING,
        ENDED
    }

    private static final Logger logger = LoggerFactory.getLogger(SharedLanding.class);
    private static final int SMALLEST_ROOM_BYTES = 4096;

    private final SharedLandings table;
    private final LandableLog log;
    private final LandableLog.ActiveSegment segment;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    private volatile State state = State.PREPARED;
    private volatile boolean begun;
    private ReservationWord word;
    private final SharedGrants grants = new SharedGrants();
    private final EarlierAppends earlier = new EarlierAppends(this);
    private final HoleWatch watch = new HoleWatch(System::nanoTime);
    private final TurnOrder turns = new TurnOrder();
    private int fileEnd;
    private boolean growing;
    private boolean dissolving;
    private boolean unfenced;
    private int draining;

    SharedLanding(SharedLandings table, LandableLog log, LandableLog.ActiveSegment segment) {
        this.table = table;
        this.log = log;
        this.segment = segment;
    }

    LandableLog log() {
        return log;
    }

    LandableLog.ActiveSegment segment() {
        return segment;
    }

    State state() {
        return state;
    }

    /** Who appends now; null if nobody. */
    Turn current() {
        return turns.current();
    }

    boolean wasActive() {
        return begun;
    }

    /** Whether nothing lies behind the log's end: nobody ever placed a batch, or all was copied. */
    boolean isUntouched() {
        State now = state;
        return !begun || now == State.DRAINING || now == State.ENDED;
    }

    /** Completes when anyone may append again without a turn. */
    CompletableFuture<Void> ended() {
        return ended;
    }

    synchronized int fileEnd() {
        return fileEnd;
    }

    /** Landing thread: the file reaches as far. */
    synchronized void grown(int end) {
        growing = false;
        fileEnd = Math.max(fileEnd, end);
    }

    boolean takesLinks() {
        State now = state;
        return now == State.PREPARED || now == State.ACTIVE;
    }

    /** Landing thread, before the first link takes part. */
    synchronized void reserveIn(ReservationWord shared) {
        word = shared;
    }

    /** Landing thread: one more link takes part; false if the landing is over. */
    synchronized boolean join(SharedGrant grant) {
        if (!takesLinks()) {
            return false;
        }
        grants.add(grant);
        return true;
    }

    /** Landing thread: a grant whose key of the word is registered; null if there is none. */
    synchronized SharedGrant anyGrant() {
        return grants.any();
    }

    /** @return where the log ends, about; -1 if this link may not begin now, and has left */
    int begin(SharedGrant grant) {
        synchronized (this) {
            if (state == State.PREPARED && log.refusal() == null) {
                open();
            }
            if (state == State.ACTIVE && grant.state == SharedGrant.State.GRANTED) {
                grant.state = SharedGrant.State.BEGUN;
                return turns.nextPosition();
            }
        }
        leave(grant, false);
        return -1;
    }

    private void open() {
        boolean alone = earlier.awaitNone();
        int end = segment.sizeBytes();
        if (alone && state == State.PREPARED && fileEnd - end >= SMALLEST_ROOM_BYTES) {
            word.open(end);
            turns.start(end);
            watch.progressed();
            begun = true;
            state = State.ACTIVE;
            table.counters().increment(PluginMeter.LANDINGS_BEGUN);
        }
    }

    /** @param leavesHoles see {@link Grant#drain} */
    void leave(SharedGrant grant, boolean leavesHoles) {
        synchronized (this) {
            if (grant.isEnded()) {
                return;
            }
            grant.state = SharedGrant.State.ENDED;
            if (grants.allEnded()) {
                close(Reason.UNUSED);
            } else if (state == State.ACTIVE && word.isBeyond(fileEnd)) {
                close(Reason.FULL);
            } else if (leavesHoles
                    || (grant.pending > 0 && grant.link().landings().isClosed())) {
                close(Reason.HOLE);
            }
            releaseIfLeft(grant);
            dissolveIfQuiet();
        }
    }

    private void releaseIfLeft(SharedGrant grant) {
        if (takesLinks() && grants.removeIfLeft(grant)) {
            table.work().release(grant);
        }
    }

    /** Why a landing is given up. */
    enum Reason {
        /** An order whose writer never came. */
        HOLE,
        /** A batch was not appended where it lay: a duplicate, out of sequence, another size. */
        REFUSED,
        /** Somebody writes in a way that takes no turn, and may come again. */
        CONFLICT,
        /** The log is to be cut, or moved, or its settings changed. */
        CHANGE,
        /** More was reserved than there is room for. */
        FULL,
        UNUSED
    }

    /** Any thread; never waits. */
    synchronized void close(Reason reason) {
        if (state != State.PREPARED && state != State.ACTIVE) {
            return;
        }
        boolean wasActive = state == State.ACTIVE;
        state = State.CLOSING;
        if (wasActive) {
            closeWord();
            if (reason == Reason.CONFLICT || reason == Reason.HOLE) {
                table.contention().observed(log.topic(), log.partition());
            }
            if (reason == Reason.HOLE) {
                table.counters().increment(PluginMeter.LANDING_HOLES);
            }
            if (reason != Reason.UNUSED) {
                table.counters().increment(PluginMeter.LANDINGS_REVOKED);
            }
        }
        grants.revoke();
        table.work().abandonLate(this);
        dissolveIfQuiet();
    }

    /** Proxies that do not see it there are asked to end their part anyway. */
    private void closeWord() {
        try {
            word.close();
        } catch (IllegalStateException e) {
            logger.warn("{}-{}: the word in which places are reserved is not closed", log.topic(), log.partition(), e);
        }
    }

    private void dissolveIfQuiet() {
        if (state != State.CLOSING || dissolving || turns.current() != null || !grants.allEnded()) {
            return;
        }
        dissolving = true;
        table.work().dissolve(this);
    }

    /** Landing thread: a writer who left stopped in the middle of a write, and may go on with it at any time. */
    synchronized void closeUnfenced() {
        unfenced = true;
        close(Reason.HOLE);
    }

    synchronized boolean isUnfenced() {
        return unfenced;
    }

    /** Links that were asked to end their part and have not. */
    synchronized List<LandingLink> late() {
        return state == State.CLOSING ? grants.notEnded() : List.of();
    }

    /** Landing thread, in CLOSING: nobody joins any more. */
    synchronized List<SharedGrant> grants() {
        return grants.copy();
    }

    /**
     * A placed batch was announced; owner of its link.
     *
     * @param sessionWaits whether an earlier request of the same client connection waits. Then this one is copied at once, takes no turn, and keeps its place among that connection's
     *     requests, of which those behind it may come by the ring
     * @return whether it is its turn; else its request is handed back when it is, or when it was copied, unless it takes no turn
     */
    boolean arrive(Turn turn, SharedGrant grant, boolean sessionWaits) {
        boolean isReserved;
        synchronized (this) {
            turn.appender = Thread.currentThread();
            if (sessionWaits) {
                close(Reason.CONFLICT);
            }
            boolean takesPart = state == State.ACTIVE || (state == State.CLOSING && !dissolving);
            isReserved = takesPart && turns.isPlausible(turn);
            if (isReserved && !sessionWaits) {
                grant.pending++;
                return enter(turn);
            }
            turn.state = Turn.State.DROPPED;
            turn.batches.waitWithItsSession();
            turn.batches.detach();
            close(Reason.HOLE);
        }
        if (!isReserved) {
            grant.link().abandon("batches were announced in places that were not reserved");
        }
        return false;
    }

    private boolean enter(Turn turn) {
        if (turns.isEmpty()) {
            watch.waits();
        }
        boolean isCurrent = turns.enter(turn, state == State.ACTIVE);
        if (!isCurrent && watch.begin()) {
            table.work().watch(this);
        }
        return isCurrent;
    }

    /**
     * A request that came by the ring of a link that does not place this batch wants to append; owner of that link.
     *
     * @return what it waits for; null if it may append now
     */
    synchronized CompletableFuture<Void> admit(RingAppend request, int lengthBytes, boolean mayTakeTurn) {
        switch (state) {
            case PREPARED -> {
                if (mayTakeTurn) {
                    earlier.begin();
                    request.takeTurn(Turn.before(this));
                }
                return null;
            }
            case ENDED -> {
                return null;
            }
            case ACTIVE -> {
                Turn turn = mayTakeTurn ? reserve(lengthBytes, request.link()) : null;
                if (turn == null) {
                    close(Reason.CONFLICT);
                    return ended;
                }
                request.takeTurn(turn);
                return turn.state == Turn.State.CURRENT ? null : turn.decided();
            }
            default -> {
                return begun ? ended : null;
            }
        }
    }

    /** The broker's own reservation, for this thread; null if there is no room or no way. */
    private Turn reserve(int lengthBytes, LandingLink link) {
        long reserved;
        try {
            reserved = word.reserve(lengthBytes);
        } catch (IllegalStateException e) {
            // Perhaps it was reserved: nobody would ever fill it.
            close(Reason.HOLE);
            return null;
        }
        long position = PlaceWord.position(reserved);
        if (position < turns.nextPosition() || position + lengthBytes > fileEnd) {
            close(Reason.FULL);
            return null;
        }
        Turn turn = new Turn(this, PlaceWord.order(reserved), (int) position, lengthBytes, null, link);
        turn.appender = Thread.currentThread();
        if (!turns.isPlausible(turn)) {
            close(Reason.HOLE);
            return null;
        }
        table.counters().increment(PluginMeter.TURNS_RESERVED);
        enter(turn);
        return turn;
    }

    /**
     * A thread of the broker that is no owner of a link wants to append; waits for its turn.
     *
     * @return its turn; null if the landing is over, or must be looked for again
     * @throws RuntimeException the broker's "not leader" if that takes too long
     */
    Turn enter(int lengthBytes) {
        boolean mayWait = !(Thread.currentThread() instanceof LandingHandler);
        Turn turn = null;
        synchronized (this) {
            earlier.awaitNotAwaited();
            if (!begun) {
                // Also while what was only prepared is undone.
                earlier.begin();
                return Turn.before(this);
            } else if (state == State.ACTIVE) {
                turn = reserve(lengthBytes, null);
            }
            if (turn == null || (!mayWait && turn.state != Turn.State.CURRENT)) {
                close(Reason.CONFLICT);
            }
        }
        if (turn != null && turn.state != Turn.State.CURRENT && mayWait) {
            table.await(turn.decided());
        }
        if (turn != null && (turn.state == Turn.State.CURRENT || drop(turn))) {
            return turn;
        }
        if (state != State.ENDED && (!mayWait || !table.await(ended))) {
            throw table.conflict("others place batches in the segment");
        }
        return null;
    }

    /** It waits no longer; true if it has become its turn. */
    private synchronized boolean drop(Turn turn) {
        if (turn.state == Turn.State.RESERVED) {
            turn.state = Turn.State.DROPPED;
            close(Reason.HOLE);
        }
        return turn.state == Turn.State.CURRENT;
    }

    /** Any thread: what had its turn was handled, whether it was appended or not. */
    void done(Turn turn) {
        Turn next = null;
        synchronized (this) {
            if (turn.isBefore()) {
                earlier.end();
            } else if (turn.state == Turn.State.CURRENT) {
                turns.advance();
                watch.progressed();
                if (segment.sizeBytes() != turns.nextPosition()) {
                    close(Reason.REFUSED);
                }
                next = takeNext();
                growIfNeeded();
                forget(turn);
                dissolveIfQuiet();
            } else if (turn.state == Turn.State.RESERVED) {
                // Its link is lost: nobody will append it.
                turn.state = Turn.State.DROPPED;
                close(Reason.HOLE);
            }
        }
        if (next != null) {
            tell(next);
        }
    }

    private void forget(Turn turn) {
        SharedGrant grant = grants.of(turn);
        if (grant != null) {
            grant.pending--;
            releaseIfLeft(grant);
        }
    }

    private Turn takeNext() {
        if (state == State.ACTIVE && turns.isNextBroken()) {
            close(Reason.HOLE);
        }
        return state == State.ACTIVE ? turns.takeNext() : null;
    }

    private void growIfNeeded() {
        if (!growing
                && state == State.ACTIVE
                && fileEnd - turns.nextPosition() < table.config().windowBytes() / 2) {
            growing = true;
            table.work().grow(this);
        }
    }

    private static void tell(Turn turn) {
        if (turn.batches == null) {
            turn.decided().complete(null);
        } else {
            turn.batches.resume();
        }
    }

    /**
     * Landing thread, from time to time: somebody waits for an order that does not come.
     *
     * @return in how many nanoseconds to look again; 0 if that is not needed
     */
    synchronized long findHole() {
        long releaseNs = table.config().releaseNs();
        long leftNs = releaseNs - watch.ageNs();
        boolean isWaitedFor = state == State.ACTIVE && !turns.isEmpty();
        if (isWaitedFor && (leftNs > 0 || turns.current() != null)) {
            return Math.max(leftNs, releaseNs / 4);
        }
        watch.end();
        if (isWaitedFor) {
            close(Reason.HOLE);
        }
        return 0;
    }

    /** Landing thread, in CLOSING, when no link can write any more: takes what waits out of the file. In the order of their reservations. */
    synchronized List<Turn> copyWaiting() {
        List<Turn> dropped = turns.dropAll();
        for (Turn turn : dropped) {
            if (turn.batches != null) {
                turn.batches.detach();
                draining++;
            }
        }
        return dropped;
    }

    /** Landing thread: the file is the log's alone. What was copied is appended first, and by whom it belongs to. */
    void drain(List<Turn> dropped) {
        boolean over;
        synchronized (this) {
            state = State.DRAINING;
            over = draining == 0;
        }
        for (Turn turn : dropped) {
            tell(turn);
        }
        if (over) {
            end();
        }
    }

    /** Owner of its link: a copied batch was handled. */
    void drained(Turn turn) {
        boolean over;
        synchronized (this) {
            over = --draining == 0;
        }
        if (over) {
            end();
        }
    }

    private void end() {
        // Who finds it no more appends as ever; who found it before must not be told to wait.
        table.remove(this);
        synchronized (this) {
            state = State.ENDED;
            if (word != null) {
                word.release();
            }
        }
        ended.complete(null);
    }
}
