// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.slipstream.link.SegmentGrants;
import io.slipstream.link.read.ParkedSlot;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.fetch.FetchPartitions;
import io.slipstream.protocol.fetch.FetchRequestView;
import io.slipstream.proxy.count.PartitionActivity;

/** Where one client connection reads in one partition: the next offset and the bytes in the log where it lies. */
public final class Cursor {
    /** No memo: the bytes below the offset limit are not known. */
    static final long UNKNOWN_LIMIT = -1;

    final PartitionKey key;
    final ParkedSlot parked;
    /** What is counted of the partition for those who look on. */
    final PartitionActivity activity;

    /** Null while not located. */
    SegmentGrants.Segment segment;

    long segmentLengthBytes;
    int slot;
    int generation;
    long segmentBaseOffset;
    /** Final size of a segment that is no longer appended to, else -1. */
    int sealedBytes;

    /**
     * The offset for which {@link #position} holds, and the leader epoch of what was served or vouched for before it.
     */
    long nextOffset;

    int lastEpoch;
    int position;
    /** Size of the batch at {@link #position}, 0 if not known. */
    int nextBatchBytes;
    /**
     * From {@link #position} on, {@link #knownBytes} bytes lie below this offset: for limits without a byte position.
     */
    long knownLimitOffset = UNKNOWN_LIMIT;

    int knownBytes;

    final KnownAborted aborted = new KnownAborted();

    /** The last request that named this partition, and when. */
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

    /** Whether this is the partition of that entry. */
    boolean isOf(FetchPartitions partitions, int entry) {
        return key.matches(partitions, entry);
    }

    /** Whether the position holds for what that entry asks. */
    boolean standsAt(long fetchOffset, int lastFetchedEpoch) {
        return segment != null
                && nextOffset == fetchOffset
                && (lastFetchedEpoch == FetchRequestView.NONE || lastFetchedEpoch == lastEpoch);
    }

    /** Stands where the plugin said; {@code granted} is retained for this cursor. */
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

    /** Steps over {@code bytes} of whole batches that were served. */
    void advance(int bytes, long newNextOffset, int epoch, int followingBatchBytes) {
        position += bytes;
        nextOffset = newNextOffset;
        lastEpoch = epoch;
        nextBatchBytes = followingBatchBytes;
        knownLimitOffset = UNKNOWN_LIMIT;
    }

    /** Steps over {@code bytes} of batches below the next offset. */
    void skip(int bytes, int followingBatchBytes) {
        position += bytes;
        nextBatchBytes = followingBatchBytes;
        if (bytes > 0) {
            knownLimitOffset = UNKNOWN_LIMIT;
        }
    }
}
