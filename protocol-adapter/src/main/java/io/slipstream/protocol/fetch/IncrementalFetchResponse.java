// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.fetch;

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
    /** Decides whether the answer includes a partition. Called once per partition, in the order of the answer. */
    @FunctionalInterface
    public interface Selection {
        boolean includes(FetchPartitions partitions, int entry, FetchResponseView answered);
    }

    private final FetchResponseView view = new FetchResponseView();
    private final FetchPartitions partitions = new FetchPartitions();
    private final ByteBuffer response;
    private int[] starts = new int[8];
    private int[] ends = new int[8];
    private int[] included = new int[8];
    /** Number of selected partitions. */
    public int selected;

    private int topicStart = -1;

    /** @param response from its header on, between position and limit; its memory is changed */
    public IncrementalFetchResponse(ByteBuffer response, short version) {
        this.response = response;
        version(version);
        partitions.clear(response);
    }

    /** Selects partitions; false if the broker's response cannot be read or its version has no sessions. */
    public boolean select(Selection selection) {
        return version >= FetchResponseView.FIRST_SESSION && view.walk(response, version, answered -> take(selection));
    }

    private void take(Selection selection) {
        if (view.topicStart != topicStart) {
            topicStart = view.topicStart;
            addTopic();
        }
        int entry = partitions.add(view.partition);
        if (entry == starts.length) {
            starts = Arrays.copyOf(starts, 2 * entry);
            ends = Arrays.copyOf(ends, 2 * entry);
            included = Arrays.copyOf(included, 2 * entry);
        }
        starts[entry] = view.start;
        ends[entry] = view.end;
        if (selection.includes(partitions, entry, view)) {
            included[selected++] = entry;
        }
    }

    private void addTopic() {
        if (view.hasTopicIds()) {
            partitions.addTopic(response.getLong(topicStart), response.getLong(topicStart + Long.BYTES));
        } else {
            partitions.addTopic(topicStart, view.topicLength);
        }
    }

    /** The error of the whole response. */
    public short error() {
        return view.error;
    }

    /** Writes the new response, which begins where the broker's began, and returns its size. */
    public int write(int sessionId) {
        // Omitting partitions can merge topics but not split them, so no write reaches bytes that are still to be read.
        out = response.duplicate().position(view.sessionIdPosition);
        out.putInt(sessionId);
        count(partitions.topicsIn(included, selected));
        for (int k = 0; k < selected; ) {
            int end = partitions.endOfTopic(included, selected, k);
            topic(partitions, included[k], end - k);
            for (; k < end; k++) {
                keep(starts[included[k]], ends[included[k]]);
            }
            tags();
        }
        keep(view.tagsPosition, response.limit());
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
