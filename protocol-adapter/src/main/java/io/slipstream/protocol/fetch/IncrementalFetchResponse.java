// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.fetch;

import io.slipstream.protocol.wire.WireCursor;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Converts, in place, the answer of a broker to a sessionless Fetch into the answer to a Fetch of a session (KIP-227).
 * The new answer has the session's id and only the selected partitions. For one answer.
 *
 * <p>Consecutive partitions of a topic are listed under one topic, as brokers do after they omit the partitions
 * between.
 */
public final class IncrementalFetchResponse extends FetchFields {
    /** The fields of one partition of the answer. */
    public record Answered(
            short error,
            long highWatermark,
            long logStartOffset,
            boolean hasDivergingEpoch,
            boolean hasPreferredReplica,
            int recordBytes) {}

    /** Decides whether the answer includes a partition. Called once per partition, in the order of the answer. */
    @FunctionalInterface
    public interface Selection {
        boolean includes(FetchPartitions partitions, int entry, Answered answered);
    }

    private final WireCursor in = new WireCursor();
    private final FetchPartitions partitions = new FetchPartitions();
    private final ByteBuffer response;
    private int[] starts = new int[8];
    private int[] ends = new int[8];
    private int[] included = new int[8];
    private int includedCount;
    private short error;
    private int sessionIdPosition;
    private int tagsPosition;

    /** @param response from its header on, between position and limit; its memory is changed */
    public IncrementalFetchResponse(ByteBuffer response, short version) {
        this.response = response;
        version(version);
        partitions.clear(response);
    }

    /** Selects partitions; false if the broker's response cannot be read or its version has no sessions. */
    public boolean select(Selection selection) {
        if (version < 7 || version > FetchRequestView.LATEST_VERSION) {
            return false;
        }
        in.wrap(response, response.position(), response.limit(), flexible);
        in.skip(Integer.BYTES); // correlation id
        in.skipTags();
        in.skip(Integer.BYTES); // throttle time
        error = in.int16();
        sessionIdPosition = in.position();
        in.skip(Integer.BYTES);
        for (int topics = in.nonNullArrayCount(1); topics > 0 && !in.failed(); topics--) {
            topic(selection);
        }
        tagsPosition = in.position();
        in.skipTags();
        return !in.failed();
    }

    /** The error of the whole response. */
    public short error() {
        return error;
    }

    /** Number of selected partitions. */
    public int selected() {
        return includedCount;
    }

    private void topic(Selection selection) {
        if (version >= 13) {
            partitions.addTopic(in.int64(), in.int64());
        } else {
            int length = in.stringLength();
            partitions.addTopic(in.position(), length);
            in.skip(length);
        }
        for (int left = in.nonNullArrayCount(26); left > 0 && !in.failed(); left--) {
            partition(selection);
        }
        in.skipTags();
    }

    private void partition(Selection selection) {
        int start = in.position();
        int entry = partitions.add(in.int32());
        short error = in.int16();
        long highWatermark = in.int64();
        in.skip(Long.BYTES); // last stable offset
        long logStartOffset = in.int64();
        for (int aborted = in.arrayCount(16); aborted > 0 && !in.failed(); aborted--) {
            in.skip(2 * Long.BYTES);
            in.skipTags();
        }
        boolean preferred = version >= 11 && in.int32() != FetchRequestView.NONE;
        int recordBytes = Math.max(0, in.bytesLength());
        in.skip(recordBytes);
        boolean diverging = false;
        for (int tags = in.tagCount(); tags > 0 && !in.failed(); tags--) {
            diverging |= in.tag() == 0;
            in.skip(in.unsignedVarint());
        }
        if (in.failed()) {
            return;
        }
        if (entry == starts.length) {
            starts = Arrays.copyOf(starts, 2 * entry);
            ends = Arrays.copyOf(ends, 2 * entry);
            included = Arrays.copyOf(included, 2 * entry);
        }
        starts[entry] = start;
        ends[entry] = in.position();
        Answered answered = new Answered(error, highWatermark, logStartOffset, diverging, preferred, recordBytes);
        if (selection.includes(partitions, entry, answered)) {
            included[includedCount++] = entry;
        }
    }

    /** Writes the new response, which begins where the broker's began, and returns its size. */
    public int write(int sessionId) {
        // Omitting partitions can merge topics but not split them, so no write reaches bytes that are still to be read.
        out = response.duplicate().position(sessionIdPosition);
        out.putInt(sessionId);
        count(partitions.topicsIn(included, includedCount));
        for (int k = 0; k < includedCount; ) {
            int end = partitions.endOfTopic(included, includedCount, k);
            topic(partitions, included[k]);
            count(end - k);
            for (; k < end; k++) {
                keep(starts[included[k]], ends[included[k]]);
            }
            tags();
        }
        keep(tagsPosition, response.limit());
        return out.position() - response.position();
    }

    private void keep(int from, int to) {
        if (out.position() == from) {
            out.position(to);
        } else {
            copy(response, from, to);
        }
    }
}
