// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.fetch;

import io.slipstream.protocol.wire.WireCursor;
import java.nio.ByteBuffer;

/**
 * View of a Fetch request, version 4 to 18. The fields are decoded into primitive arrays that are reused for the next
 * request. Once the arrays have grown, the view allocates nothing; the largest frame bounds them. It throws nothing on
 * malformed input. Topic names and the rack are read from the frame on demand, so the frame must stay valid for them.
 * Topics and partitions are numbered from 0 in the order of the request. Not thread-safe.
 */
public final class FetchRequestView {
    public static final short OLDEST_VERSION = 4;
    public static final short LATEST_VERSION = 18;
    /** An epoch or offset that the client did not give. */
    public static final int NONE = -1;

    private final WireCursor cursor = new WireCursor();
    private ByteBuffer frame;
    public short version;
    /** -1 for consumers, -2 for a debugging consumer, else a follower. */
    public int replicaId;

    public int maxWaitMs;
    public int minBytes;
    public int maxBytes;
    /** 0: read_uncommitted, 1: read_committed. */
    public byte isolationLevel;

    public int sessionId;
    public int sessionEpoch;
    /** Index of the rack's bytes in the frame, from version 11 on, and their number. */
    int rackPosition;

    int rackLength;
    private int forgottenPosition;
    /** Number of partitions that an incremental fetch removes from its session. */
    public int forgottenPartitions;

    private final FetchPartitions own = new FetchPartitions();
    /** The entries of the request, or of its session after {@link #show}. */
    public FetchPartitions partitions = own;

    /**
     * Reads the body from {@code bodyPosition} (an index) to the buffer's limit.
     *
     * @return false if the version is unknown or the request is malformed; the broker must then answer it
     */
    public boolean wrap(ByteBuffer request, int bodyPosition, short version) {
        frame = request;
        this.version = version;
        replicaId = NONE;
        sessionId = 0;
        sessionEpoch = FetchSession.FINAL_EPOCH;
        rackLength = 0;
        forgottenPartitions = 0;
        partitions = own;
        own.clear(request);
        if (version < OLDEST_VERSION
                || version > LATEST_VERSION
                || bodyPosition < 0
                || bodyPosition > request.limit()) {
            return false;
        }
        walk(cursor.wrap(request, bodyPosition, request.limit(), version >= 12));
        return !cursor.failed();
    }

    private void walk(WireCursor in) {
        if (version <= 14) {
            replicaId = in.int32();
        }
        maxWaitMs = in.int32();
        minBytes = in.int32();
        maxBytes = in.int32();
        isolationLevel = in.int8();
        if (version >= 7) {
            sessionId = in.int32();
            sessionEpoch = in.int32();
        }
        int topics = in.nonNullArrayCount(1);
        for (int i = 0; i < topics && !in.failed(); i++) {
            topic(in);
        }
        forgottenPosition = in.position();
        if (version >= 7) {
            forgotten(in);
        }
        if (version >= 11) {
            int length = in.stringLength();
            rackPosition = in.position();
            in.skip(length);
            rackLength = Math.max(0, length);
        }
        tags(in, false);
    }

    /**
     * A broker reads the value of a known tag without regard to the stated size. If the two differ, only the broker can
     * answer.
     */
    private void tags(WireCursor in, boolean ofPartition) {
        for (int i = in.tagCount(); i > 0 && !in.failed(); i--) {
            int tag = in.tag();
            int size = in.unsignedVarint();
            int start = in.position();
            if (tag < 0 || tag > 1) {
                in.skip(size);
            } else if (ofPartition) {
                in.skip(tag == 0 ? 2 * Long.BYTES : Long.BYTES); // the replica's directory, its high watermark
                requireVersion(in, 17 + tag);
            } else if (tag == 0) { // the id of the cluster
                in.skipString(true);
            } else {
                replicaId = in.int32();
                in.skip(Long.BYTES); // the replica's epoch
                in.skipTags();
                requireVersion(in, 15);
            }
            if (in.position() - start != size) {
                in.fail();
            }
        }
    }

    /** A broker rejects a known tag in versions before the one that introduced it. */
    private void requireVersion(WireCursor in, int first) {
        if (version < first) {
            in.fail();
        }
    }

    private void topic(WireCursor in) {
        addTopic(in, own);
        int partitions = in.nonNullArrayCount(16);
        for (int j = 0; j < partitions && !in.failed(); j++) {
            partition(in);
        }
        in.skipTags();
    }

    private void addTopic(WireCursor in, FetchPartitions to) {
        if (version >= 13) {
            to.addTopic(in.int64(), in.int64());
        } else {
            int length = in.stringLength();
            to.addTopic(in.position(), length);
            in.skip(length);
        }
    }

    private void partition(WireCursor in) {
        int entry = own.add(in.int32());
        int currentLeaderEpoch = version >= 9 ? in.int32() : NONE;
        long fetchOffset = in.int64();
        int lastFetchedEpoch = version >= 12 ? in.int32() : NONE;
        long logStartOffset = version >= 5 ? in.int64() : NONE;
        own.ask(entry, currentLeaderEpoch, fetchOffset, lastFetchedEpoch, logStartOffset, in.int32());
        tags(in, true);
    }

    private void forgotten(WireCursor in) {
        int topics = in.nonNullArrayCount(1);
        for (int i = 0; i < topics && !in.failed(); i++) {
            if (version >= 13) {
                in.skip(16);
            } else {
                in.skipString(false);
            }
            int partitions = in.nonNullArrayCount(Integer.BYTES);
            forgottenPartitions += partitions;
            in.skip(partitions * Integer.BYTES);
            in.skipTags();
        }
    }

    public boolean isReadCommitted() {
        return isolationLevel == 1;
    }

    public FetchSession session() {
        return FetchSession.of(sessionId, sessionEpoch);
    }

    public boolean hasRack() {
        return rackLength > 0;
    }

    /** Replaces the request's entries by those of its session, until the next {@link #wrap}. */
    public void show(FetchPartitions ofSession) {
        partitions = ofSession;
    }

    /** Adds the partitions that an incremental fetch removes from its session, without fetch parameters. */
    public void addForgotten(FetchPartitions to) {
        to.clear(frame);
        if (forgottenPartitions == 0) {
            return;
        }
        WireCursor in = cursor.wrap(frame, forgottenPosition, frame.limit(), version >= 12);
        for (int topics = in.nonNullArrayCount(1); topics > 0; topics--) {
            addTopic(in, to);
            for (int left = in.nonNullArrayCount(Integer.BYTES); left > 0; left--) {
                to.add(in.int32());
            }
            in.skipTags();
        }
    }
}
