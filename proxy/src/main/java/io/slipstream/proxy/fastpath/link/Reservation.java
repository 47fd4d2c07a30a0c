package io.slipstream.proxy.fastpath.link;

import io.slipstream.rdma.CompletionStatus;

/**
 * A place that one request reserves for its batch where several proxies place batches (KafkaDirect, section 4.2.2). Pooled with its request; confined to the
 * event loop.
 *
 * <pre>
 *   NONE ──FETCH_AND_ADD posted──▶ ASKED ──▶ HELD ──batch written and announced, or given up──▶ NONE
 *     ▲                               │ nothing more may be reserved
 *     └───────────────────────────────┘
 * </pre>
 */
final class Reservation implements WorkHandler {
    enum State {
        NONE,
        ASKED,
        HELD
    }

    private final Reservations reservations;

    State state = State.NONE;
    PartitionLanding place;
    int lengthBytes;
    /** Ring bytes that the request takes at most. */
    int frameBytes;

    int order;
    long position;
    /** Where the device puts the word's value, among the link's. */
    int result;

    Reservation(Reservations reservations) {
        this.reservations = reservations;
    }

    boolean isHeld() {
        return state == State.HELD;
    }

    @Override
    public void onWorkCompleted(CompletionStatus status, int byteLen) {
        // On failure the link ends, and with it what was reserved.
        if (status == CompletionStatus.SUCCESS) {
            reservations.onReserved(this);
        }
    }
}
