package io.slipstream.proxy.fastpath.link;

import io.slipstream.protocol.ring.LandedBatches;
import io.slipstream.protocol.ring.PlaceWord;
import io.slipstream.rdma.MemoryRegion;
import java.nio.ByteBuffer;

/**
 * Reserves places by FETCH_AND_ADD, several at a time; they are given in the order in which they were asked for. Confined to the event loop; allocates
 * nothing.
 */
final class Reservations {
    private static final int MOST = LinkMemory.RESULTS_BYTES / Long.BYTES;

    private final LinkPort port;
    private final MemoryRegion words;
    private final ByteBuffer results;
    private final Landings landings;
    private final Runnable onChange;
    private int next;
    private int asked;
    private int held;
    private int ringBytes;

    /** @param onChange run when one was given or refused */
    Reservations(LinkPort port, MemoryRegion words, Landings landings, Runnable onChange) {
        this.port = port;
        this.words = words;
        this.results = words.buffer();
        this.landings = landings;
        this.onChange = onChange;
    }

    /** Those asked for and held: requests that are to be written before any other. */
    int outstanding() {
        return asked + held;
    }

    /** Ring bytes that these take at most. */
    int ringBytes() {
        return ringBytes;
    }

    /** Whether one more may be asked for, as far as the queue pair is concerned. */
    boolean hasRoom() {
        return asked < MOST && port.hasRoom((LandedBatches.MOST_BATCHES + 2) + 2 * outstanding());
    }

    /** False if the queue pair takes it not; nothing has been done then. */
    boolean ask(Reservation reservation, PartitionLanding place, int lengthBytes, int frameBytes) {
        int result = next;
        long resultAddress = words.address() + LinkMemory.RESULTS + (long) result * Long.BYTES;
        if (!port.fetchAndAdd(
                reservation,
                words.lkey(),
                resultAddress,
                place.wordAddress(),
                place.wordKey(),
                PlaceWord.addend(lengthBytes))) {
            return false;
        }
        next = (next + 1) % MOST;
        asked++;
        ringBytes += frameBytes;
        place.reserved++;
        reservation.place = place;
        reservation.lengthBytes = lengthBytes;
        reservation.frameBytes = frameBytes;
        reservation.result = result;
        reservation.state = Reservation.State.ASKED;
        return true;
    }

    void onReserved(Reservation reservation) {
        long value = results.getLong(LinkMemory.RESULTS + reservation.result * Long.BYTES);
        PartitionLanding place = reservation.place;
        asked--;
        held++;
        reservation.state = Reservation.State.HELD;
        reservation.order = PlaceWord.order(value);
        reservation.position = PlaceWord.position(value);
        if (reservation.position + reservation.lengthBytes > Integer.MAX_VALUE) {
            // Closed, or beyond what any segment holds.
            release(reservation);
            landings.refused(place);
        } else {
            place.reservedEnd = (int) reservation.position + reservation.lengthBytes;
        }
        onChange.run();
    }

    /** A held one was used, or is given up. */
    void release(Reservation reservation) {
        held--;
        ringBytes -= reservation.frameBytes;
        reservation.place.reserved--;
        reservation.place = null;
        reservation.state = Reservation.State.NONE;
    }
}
