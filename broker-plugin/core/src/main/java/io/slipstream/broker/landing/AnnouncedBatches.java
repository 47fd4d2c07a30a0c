package io.slipstream.broker.landing;

import io.slipstream.protocol.ring.LandedBatches;
import java.nio.ByteBuffer;

/** The batches that one request announced, read once from its frame. Owner of the link only. */
public final class AnnouncedBatches {
    private final Landing[] landings;
    private final LandingWindow[] windows;
    private final int[] positions;
    private final int[] lengths;
    private final int requestBytes;
    private int next;
    private boolean handled;
    /** Null while the batches lie where they were placed. */
    private ByteBuffer[] copies;

    private AnnouncedBatches(int count, int requestBytes) {
        this.requestBytes = requestBytes;
        landings = new Landing[count];
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
            Landing landing = link.get(LandedBatches.landingId(payload, i));
            int position = LandedBatches.position(payload, i);
            int lengthBytes = LandedBatches.lengthBytes(payload, i);
            LandingWindow window = landing == null ? null : landing.take(position, lengthBytes);
            if (window == null) {
                // The link breaks; what was taken of this request is handled with it.
                batches.finish();
                return null;
            }
            batches.landings[i] = landing;
            batches.windows[i] = window;
            batches.positions[i] = position;
            batches.lengths[i] = lengthBytes;
        }
        return batches;
    }

    public int count() {
        return landings.length;
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
        if (next == landings.length || lengths[next] != lengthBytes) {
            return null;
        }
        int i = next++;
        if (copies != null) {
            return copies[i].duplicate();
        }
        return landings[i].handle(windows[i], positions[i], lengths[i]);
    }

    /**
     * The request has to wait, perhaps for something that waits for the end of these landings: its batches are copied, so that they need not
     * wait for it.
     */
    public void detach() {
        if (copies == null) {
            copies = new ByteBuffer[landings.length];
            for (int i = 0; i < copies.length; i++) {
                copies[i] = InPlaceAppend.copyOf(windows[i].view(positions[i], lengths[i]));
            }
            finish();
        }
    }

    /** Whether the batches lie elsewhere by now, so that they are appended as if they had come by the ring. */
    public boolean isDetached() {
        return copies != null;
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
        for (Landing candidate : landings) {
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
            for (int i = 0; i < landings.length; i++) {
                if (landings[i] != null) {
                    landings[i].handled(windows[i], positions[i], lengths[i]);
                }
            }
        }
    }
}
