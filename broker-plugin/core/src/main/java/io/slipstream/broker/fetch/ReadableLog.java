// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import org.apache.kafka.common.Uuid;

/** One partition's log while this broker leads it in {@link #leaderEpoch()}. */
public interface ReadableLog {
    Uuid topicId();

    String topic();

    int partition();

    int leaderEpoch();

    /** The broker's log object: what the hooks name. Compared by identity. */
    Object identity();

    /** The broker's partition object: what the leadership hooks name. Compared by identity. */
    Object partitionIdentity();

    /** The lock that the broker itself holds whenever it moves a watermark of this log. */
    Object monitor();

    /**
     * Whether this broker still leads the partition in the same epoch, with the same log object, and not tiered. Needs
     * no lock.
     */
    boolean isServing();

    /**
     * Reads the present state; the caller holds {@link #monitor()}. Allocates nothing unless the broker itself does not
     * know the byte position of its high watermark yet.
     *
     * @return false if that position cannot be known now; {@code state} is then undefined
     */
    boolean read(LogState state);

    /** Whether any segment indexes an aborted transaction; the caller holds {@link #monitor()}. */
    boolean hasAbortedTransactions();

    /**
     * Offset of the last abort marker whose transaction was indexed in the segment that is appended to, since that was
     * opened; -1 if there was none. It rises with each one. The caller holds {@link #monitor()}.
     */
    long lastAbortedOffset();

    /**
     * The aborted transactions that a reader of that segment must know from {@code fetchOffset} on, as the segments'
     * transaction indexes have them now; bounded, so perhaps not up to the segment's end. Reads from disk, without
     * {@link #monitor()}.
     *
     * @return null if the log has no such segment any more
     */
    AbortedInSegment abortedTransactions(long segmentBaseOffset, long fetchOffset);

    /**
     * Position of the last entry at or below the offset in the segment's sparse index of offsets, -1 if there is none
     * (or no such segment): where a broker's upper bound for a read that ends there, or before, is at most the offset.
     * No later entry changes it once the offset is in the log.
     */
    int indexedBytes(long segmentBaseOffset, long offset);
}
