package io.slipstream.broker.landing;

import io.slipstream.protocol.ring.LandedBatches;
import java.nio.ByteBuffer;

/** The batches that one request announced, read once from its frame. Owner of the link only. */
public final class AnnouncedBatches {
    private final Grant[] grants;
    private final LandingWindow[] windows;
    private final int[] positions;
    private final int[] lengths;
    private final int requestBytes;
    private int next;
    private boolean handled;
    /** Null while the batches lie where they were placed. */
    private volatile ByteBuffer[] copies;
    /** Where several links place batches; then there is one batch. Null elsewhere. */
    private Turn turn;

    private RingAppend request;
    private boolean arrived;
    private boolean waitsWithItsSession;

    private AnnouncedBatches(int count, int requestBytes) {
        this.requestBytes = requestBytes;
        grants = new Grant[count];
        windows = new LandingWindow[count];
        positions = new int[count];
        lengths = new int[count];
    }

    /**
     * Takes what the payload of a landed request names.
     *
     * @return null if no correct proxy announces that
     */
    public static AnnouncedBatches take(LinkLandings link, ByteBuffer payload) {
        int count = link == null ? -1 : LandedBatches.count(payload);
        int requestBytes = count < 1 ? -1 : LandedBatches.requestBytes(payload, count);
        if (requestBytes < 0) {
            return null;
        }
        AnnouncedBatches batches = new AnnouncedBatches(count, requestBytes);
        for (int i = 0; i < count; i++) {
            Grant grant = link.get(LandedBatches.landingId(payload, i));
            int position = LandedBatches.position(payload, i);
            int lengthBytes = LandedBatches.lengthBytes(payload, i);
            int order = LandedBatches.order(payload, i);
            boolean shares = grant instanceof SharedGrant;
            LandingWindow window =
                    grant == null || (shares && count > 1) ? null : grant.take(position, lengthBytes, order);
            if (window == null) {
                // The link breaks; what was taken of this request is handled with it.
                batches.finish();
                return null;
            }
            batches.grants[i] = grant;
            if (grant instanceof SharedGrant shared) {
                batches.turn = new Turn(shared.landing(), order, position, lengthBytes, batches, grant.link());
            }
            batches.windows[i] = window;
            batches.positions[i] = position;
            batches.lengths[i] = lengthBytes;
        }
        return batches;
    }

    public int count() {
        return grants.length;
    }

    /** Bytes of the request without them. */
    public int requestBytes() {
        return requestBytes;
    }

    /** Bytes of all of them. */
    public int sizeBytes() {
        int sum = 0;
        for (int length : lengths) {
            sum += length;
        }
        return sum;
    }

    /** The next batch, in the order of the request, as the broker begins to handle it; null if it has another length, or none is left. */
    public ByteBuffer next(int lengthBytes) {
        if (next == grants.length || lengths[next] != lengthBytes) {
            return null;
        }
        int i = next++;
        if (copies != null) {
            return copies[i].duplicate();
        }
        return grants[i].handle(windows[i], positions[i], lengths[i]);
    }

    /**
     * The request has to wait, perhaps for something that waits for the end of these landings: its batches are copied, so that they need not
     * wait for it.
     */
    public void detach() {
        if (copies == null) {
            ByteBuffer[] all = new ByteBuffer[grants.length];
            for (int i = 0; i < all.length; i++) {
                all[i] = InPlaceAppend.copyOf(windows[i].view(positions[i], lengths[i]));
            }
            copies = all;
            if (turn == null) {
                finish();
            }
        }
    }

    /** Whether the batches lie elsewhere by now, so that they are appended as if they had come by the ring. */
    public boolean isDetached() {
        return copies != null;
    }

    /** Its place among those of other links; null if no others place batches there. */
    public Turn turn() {
        return turn;
    }

    /** Where the one batch of a turn lies. */
    LandingWindow window() {
        return windows[0];
    }

    /**
     * Of a request with a turn, as it is met in the ring's order, or again: whether it may be handled now. If not, it is handed back when it may, or, if it {@link #waitsWithItsSession}
     * from now on, is met again at once.
     *
     * @param sessionWaits whether an earlier request of its client connection waits
     */
    public boolean arrives(RingAppend landed, boolean sessionWaits) {
        if (arrived) {
            return true;
        }
        arrived = true;
        request = landed;
        return turn.landing().arrive(turn, (SharedGrant) grants[0], sessionWaits);
    }

    /** Any thread: it is its turn, or the batch was copied. */
    void resume() {
        request.handBack();
    }

    /** Under the landing's monitor: an earlier request of its connection must be appended first, so it may have no turn. */
    void waitWithItsSession() {
        waitsWithItsSession = true;
    }

    /** Whether it takes no turn any more, and is handled like a request that came by the ring. */
    public boolean waitsWithItsSession() {
        return waitsWithItsSession;
    }

    /** The request is read once more from its beginning. */
    public void rewind() {
        next = 0;
    }

    /** Whether batches of this request lie in that landing. */
    public boolean isOf(Landing landing) {
        if (copies != null) {
            return false;
        }
        for (Grant candidate : grants) {
            if (candidate == landing) {
                return true;
            }
        }
        return false;
    }

    /** The broker needs none of the bytes any more, or will never. Idempotent. */
    public void finish() {
        if (!handled) {
            handled = true;
            if (turn != null) {
                endTurn();
            }
            for (int i = 0; i < grants.length; i++) {
                if (grants[i] != null) {
                    grants[i].handled(windows[i], positions[i], lengths[i]);
                }
            }
        }
    }

    private void endTurn() {
        if (arrived && copies == null) {
            turn.landing().done(turn);
        } else if (arrived && !waitsWithItsSession) {
            turn.landing().drained(turn);
        }
    }
}
