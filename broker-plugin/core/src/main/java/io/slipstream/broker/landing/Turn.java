package io.slipstream.broker.landing;

import java.util.concurrent.CompletableFuture;

/**
 * A place in the order in which a shared segment is appended to: reserved by a proxy for a batch that it placed, or by the broker for one that came
 * another way. Nobody else appends while it is its turn.
 *
 * <pre>
 *   RESERVED ──all before it were appended──▶ CURRENT ──handled──▶ DONE
 *       │ the landing ends before
 *       ▼
 *   DROPPED: appended like any other, and elsewhere; a placed batch was copied first, and is appended before anyone else
 * </pre>
 *
 * <p>States change under the landing's monitor.
 */
public final class Turn {
    enum State {
        RESERVED,
        CURRENT,
        DONE,
        DROPPED
    }

    private final SharedLanding landing;
    final int order;
    final int position;
    final int lengthBytes;
    /** The announced batch; null if the bytes are the broker's to write. */
    final AnnouncedBatches batches;
    /** On which link it was asked for; null if on none. */
    final LandingLink link;

    /** Completes when it is this one's turn or the landing is over. */
    private final CompletableFuture<Void> decided = new CompletableFuture<>();

    volatile State state = State.RESERVED;
    /** Who appends when it is its turn. */
    volatile Thread appender;

    Turn(SharedLanding landing, int order, int position, int lengthBytes, AnnouncedBatches batches, LandingLink link) {
        this.landing = landing;
        this.order = order;
        this.position = position;
        this.lengthBytes = lengthBytes;
        this.batches = batches;
        this.link = link;
    }

    /** Of an append that began before anybody placed batches; the first to do so waits for its end. */
    static Turn before(SharedLanding landing) {
        Turn turn = new Turn(landing, -1, 0, 0, null, null);
        turn.state = State.CURRENT;
        return turn;
    }

    boolean isBefore() {
        return order < 0;
    }

    SharedLanding landing() {
        return landing;
    }

    int end() {
        return position + lengthBytes;
    }

    /** What it was for was handled, whether it was appended or not. Idempotent. */
    public void finish() {
        landing.done(this);
    }

    boolean isMine() {
        return appender == Thread.currentThread();
    }

    CompletableFuture<Void> decided() {
        return decided;
    }
}
