// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import org.apache.kafka.common.Uuid;

/** One partition's log while this broker leads the partition in {@link #leaderEpoch()}. */
public interface ReadableLog {
    Uuid topicId();

    String topic();

    int partition();

    int leaderEpoch();

    /** Returns the broker's log object, as the hooks pass it. Compared by identity. */
    Object identity();

    /** Returns the broker's partition object, as the leadership hooks pass it. Compared by identity. */
    Object partitionIdentity();

    /** Returns the lock that the broker holds when it moves a watermark of this log. */
    Object monitor();

    /**
     * Returns whether this broker still leads the partition in the same epoch, with the same log object, and without
     * tiered storage. Needs no lock.
     */
    boolean isServing();

    /**
     * Reads the present state. The caller holds {@link #monitor()}. Allocates nothing, unless the broker itself does
     * not yet know the byte position of its high watermark.
     *
     * @return false if that position cannot be known now; {@code state} is then undefined
     */
    boolean read(LogState state);

    /** Returns whether any segment indexes an aborted transaction. The caller holds {@link #monitor()}. */
    boolean hasAbortedTransactions();

    /**
     * Returns the offset of the last abort marker indexed in the active segment since its index was opened; -1 if there
     * is none. It rises with each marker. The caller holds {@link #monitor()}.
     */
    long lastAbortedOffset();

    /**
     * Returns the aborted transactions of that segment, from {@code fetchOffset} on, as the transaction indexes list
     * them now. The search is bounded and may end before the segment's end. Reads from disk, without
     * {@link #monitor()}.
     *
     * @return null if the log no longer has that segment
     */
    AbortedInSegment abortedTransactions(long segmentBaseOffset, long fetchOffset);

    /**
     * Returns a byte position from the segment's sparse offset index: that of the last entry at or below the offset.
     * Returns -1 if there is no such entry or segment. For a read that ends at or before this position, the broker's
     * upper bound is at most the offset. Once the offset is in the log, no later entry changes the result.
     */
    int indexedBytes(long segmentBaseOffset, long offset);
}
