// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

/**
 * A guess at a log's end: a reader there usually finds as many bytes as the last time. The device reads the slot, that
 * many bytes, and the slot again, each when the READ before it has completed, and wakes the event loop once. The bytes
 * count under the same rules as others: they lie below the first copy's high watermark, and the second copy is of the
 * same generation. Confined to the event loop.
 */
final class TailRead {
    /** A wrong guess must cost little. */
    private static final int MOST_BYTES = 16 << 10;

    private final FetchAttempt attempt;
    /** Bytes of the last guess. */
    private int sizeBytes;
    /** When the slots that the next plan is made from were not yet read; {@link System#nanoTime()}. */
    long slotsAtNs;

    TailRead(FetchAttempt attempt) {
        this.attempt = attempt;
    }

    /**
     * Posts it, if the request is of one partition and nothing speaks against it; else false. The region of a grant
     * that was valid less than a lease ago is still registered.
     */
    boolean begin() {
        Cursor cursor = attempt.cursors.entries[0];
        sizeBytes = cursor.tailBytes;
        if (attempt.view.partitions.count > 1
                || sizeBytes == 0
                || sizeBytes > MOST_BYTES
                || cursor.position + (long) sizeBytes > cursor.segmentLengthBytes
                || attempt.link.lease.isAging()
                || !attempt.link.lease.covers(cursor.grantedAtNs)
                || !attempt.link.slots.canReadAround()) {
            return false;
        }
        slotsAtNs = System.nanoTime();
        attempt.plan.guess(sizeBytes);
        DataReader data = attempt.data;
        if (!data.begin(attempt.link.readMemory(), attempt.plan, 1, ResponseAssembly.roomBytes(attempt.view))) {
            return false;
        }
        boolean posted =
                attempt.slots.readAround(attempt.link, attempt, attempt.cursors.entries, data.address(), sizeBytes);
        if (posted) {
            attempt.phase = FetchPhase.READING_TAIL;
            attempt.outstanding++;
        } else {
            data.release();
        }
        return posted;
    }

    /** Whether the bytes of {@link #begin} are those that the new plan reads. If not, they are released. */
    boolean isPlanned() {
        ReadPlan plan = attempt.plan;
        if (plan.kind == ReadPlan.Kind.READ || plan.kind == ReadPlan.Kind.WAIT) {
            attempt.cursors.entries[0].grantedAtNs = slotsAtNs;
        }
        return attempt.data.holds(plan, sizeBytes);
    }
}
