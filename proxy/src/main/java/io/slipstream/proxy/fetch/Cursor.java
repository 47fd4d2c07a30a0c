// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.slipstream.link.SegmentGrants;
import io.slipstream.link.meter.FallbackReason;
import io.slipstream.link.read.ParkedSlot;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.fetch.FetchRequestView;
import io.slipstream.proxy.count.PartitionActivity;

/** Position of one client connection in one partition: the next offset and its bytes in the log. */
public final class Cursor {
    /** The number of bytes below the offset limit is unknown. */
    static final long UNKNOWN_LIMIT = -1;

    final PartitionKey key;
    final ParkedSlot parked;
    /** Counts of the partition for the live page. */
    final PartitionActivity activity;

    /** Null while not located. */
    SegmentGrants.Segment segment;

    long segmentLengthBytes;
    int slot;
    int generation;
    long segmentBaseOffset;
    /** Final size of a segment that is no longer appended to, else -1. */
    int sealedBytes;

    /** The offset of {@link #position}, and the leader epoch of the data served or verified before it. */
    long nextOffset;

    int lastEpoch;
    int position;
    /** Size of the batch at {@link #position}; 0 if unknown. */
    int nextBatchBytes;
    /** Size of the last answer, which ended at the log's end; 0 if there was none, or it did not. */
    int tailBytes;
    /** {@link System#nanoTime()} at which the grant was valid; only for requests of one partition. */
    long grantedAtNs;
    /**
     * The segment's bytes before {@link #knownLimitPosition} are below this offset; for limits without a byte position.
     * Both are of the segment, so they stay right while the cursor advances in it.
     */
    long knownLimitOffset = UNKNOWN_LIMIT;

    int knownLimitPosition;

    final KnownAborted aborted = new KnownAborted();

    /** Since the partition was refused, until it is served: whether to ask for it; else null. */
    FallbackBackoff refusals;

    /** The last request that named this partition, and its time. */
    long usedByRequest;

    long usedAtNs;

    Cursor(PartitionKey key, ParkedSlot parked, PartitionActivity activity) {
        this.activity = activity;
        this.key = key;
        this.parked = parked;
    }

    boolean isLocated() {
        return segment != null;
    }

    /** Only the broker could answer for the partition, which usually stays so for a while. */
    void refuse(FallbackReason why, long nowNs) {
        refusals = refusals == null ? new FallbackBackoff() : refusals;
        if (refusals.reasonAt(nowNs) == null) {
            refusals.onFallBack(why);
        }
    }

    /** Whether the position is the one that the entry fetches from. */
    boolean standsAt(long fetchOffset, int lastFetchedEpoch) {
        return segment != null
                && nextOffset == fetchOffset
                && (lastFetchedEpoch == FetchRequestView.NONE || lastFetchedEpoch == lastEpoch);
    }

    /** Sets the position to the plugin's answer; {@code granted} is retained for this cursor. */
    public void locate(
            ControlResponse.Locate located, SegmentGrants.Segment granted, long fetchOffset, int lastFetchedEpoch) {
        if (slot != located.slot()
                || generation != located.generation()
                || segmentBaseOffset != located.segmentBaseOffset()) {
            aborted.forget();
        }
        segment = granted;
        segmentLengthBytes = located.segment().lengthBytes();
        slot = located.slot();
        generation = located.generation();
        segmentBaseOffset = located.segmentBaseOffset();
        sealedBytes = located.sealedBytes();
        nextOffset = fetchOffset;
        lastEpoch = lastFetchedEpoch;
        position = located.position();
        nextBatchBytes = 0;
        knownLimitOffset = UNKNOWN_LIMIT;
    }

    /** Advances over {@code bytes} of whole batches that were served, of those that were readable. */
    void advance(int bytes, int readableBytes, long newNextOffset, int epoch, int followingBatchBytes) {
        tailBytes = bytes == readableBytes ? bytes : 0;
        position += bytes;
        nextOffset = newNextOffset;
        lastEpoch = epoch;
        nextBatchBytes = followingBatchBytes;
    }

    /** Advances over {@code bytes} of batches below the next offset. */
    void skip(int bytes, int followingBatchBytes) {
        position += bytes;
        nextBatchBytes = followingBatchBytes;
    }
}
