package io.slipstream.broker.ring;

import io.slipstream.broker.landing.AnnouncedBatches;
import io.slipstream.broker.landing.RingAppend;
import io.slipstream.broker.landing.Turn;
import java.nio.ByteBuffer;

/**
 * A request that landed in a link's request ring. Owned by the link's owner thread; its ring space is given back once it was
 * answered and the broker let go of its bytes.
 */
public final class LandedFrame implements RingAppend {
    static final int NO_LANDING = -1;

    private final RingLink link;
    private final RingSession session;
    private final int sessionId;
    private final long sequence;
    private final long start;
    private final long end;
    private final ByteBuffer payload;
    private final AnnouncedBatches batches;
    private final int landingId;
    private final boolean beginsLanding;
    private final boolean leavesHoles;
    private long takenAtNs;
    private Turn turn;
    private boolean answered;
    private boolean bytesReleased;

    LandedFrame(
            RingLink link,
            RingSession session,
            int sessionId,
            long sequence,
            long start,
            long end,
            ByteBuffer payload,
            AnnouncedBatches batches,
            int landingId,
            boolean beginsLanding,
            boolean leavesHoles) {
        this.link = link;
        this.session = session;
        this.sessionId = sessionId;
        this.sequence = sequence;
        this.start = start;
        this.end = end;
        this.payload = payload;
        this.batches = batches;
        this.landingId = landingId;
        this.beginsLanding = beginsLanding;
        this.leavesHoles = leavesHoles;
    }

    @Override
    public RingLink link() {
        return link;
    }

    public RingSession session() {
        return session;
    }

    int sessionId() {
        return sessionId;
    }

    long sequence() {
        return sequence;
    }

    /** Ring position of the frame. */
    long start() {
        return start;
    }

    /** Ring position behind the frame. */
    long end() {
        return end;
    }

    /** The batches that lie in segments instead of in {@link #payload}; null if there are none. */
    public AnnouncedBatches batches() {
        return batches;
    }

    /**
     * The Kafka request from its header on, big-endian: a view of the ring, or for an untrusted session of the broker's copy. A view of the ring
     * is remotely writable: read each length once.
     */
    public ByteBuffer payload() {
        return payload;
    }

    /** The broker needs the bytes no more, those of batches in segments included. Called by the owner thread, after handling. */
    public void releaseBytes() {
        bytesReleased = true;
        if (batches != null) {
            batches.finish();
        }
        if (turn != null) {
            turn.finish();
            turn = null;
        }
    }

    /** Its place in a shared landing, if it came by the ring. */
    @Override
    public Turn turn() {
        return turn;
    }

    @Override
    public void takeTurn(Turn taken) {
        turn = taken;
    }

    /** Id of the landing that this frame, which is no request, begins or ends; or {@link #NO_LANDING}. */
    int landingId() {
        return landingId;
    }

    boolean beginsLanding() {
        return beginsLanding;
    }

    /** Whether the landing that it ends has places that were reserved and where no batch will be. */
    boolean leavesHoles() {
        return leavesHoles;
    }

    void takenAt(long nanoTime) {
        takenAtNs = nanoTime;
    }

    /** When it was taken from the completion queue, by {@link System#nanoTime}. */
    long takenAtNs() {
        return takenAtNs;
    }

    void markAnswered() {
        answered = true;
    }

    /** Whether it is handled when its batch's turn comes, whatever its session does. */
    public boolean hasTurn() {
        return batches != null && batches.turn() != null && !batches.waitsWithItsSession();
    }

    @Override
    public void handBack() {
        link.resume(this);
    }

    /** Bytes of the request, wherever they lie. */
    int sizeBytes() {
        return payload.capacity() + (batches == null ? 0 : batches.sizeBytes());
    }

    boolean isComplete() {
        return answered && bytesReleased;
    }
}
