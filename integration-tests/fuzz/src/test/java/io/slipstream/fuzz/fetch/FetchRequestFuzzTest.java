// SPDX-License-Identifier: Apache-2.0
package io.slipstream.fuzz.fetch;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.slipstream.fuzz.HeapUse;
import io.slipstream.fuzz.KafkaReaders;
import io.slipstream.protocol.fetch.FetchPartitions;
import io.slipstream.protocol.fetch.FetchRequestView;
import io.slipstream.protocol.fetch.SessionlessFetch;
import io.slipstream.protocol.fetch.SessionlessFetchWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchRequestData.ForgottenTopic;
import org.apache.kafka.common.requests.FetchMetadata;

/**
 * The view of a Fetch request from which RDMA serves it. If the view accepts a request, Kafka reads the same fields.
 * Declining a session changes only two fields. A request that a session builds from it asks for the same partitions.
 *
 * <pre>
 *   0 version u8 │ 1 the request's body
 * </pre>
 */
class FetchRequestFuzzTest {
    private static final int FIRST_BYTE = 1;
    /** Initial size of a view's arrays, which at least double when they grow. */
    private static final int FIRST_ARRAYS_BYTES = 1024;

    @FuzzTest
    void shouldTakeOnlyWhatKafkaReadsTheSame(byte[] input) {
        if (input.length < FIRST_BYTE) {
            return;
        }
        short version = KafkaReaders.version(ApiMessageType.FETCH, input[0]);
        ByteBuffer body =
                ByteBuffer.wrap(input, FIRST_BYTE, input.length - FIRST_BYTE).slice();
        FetchRequestView view = new FetchRequestView();
        boolean[] taken = new boolean[1];
        HeapUse.requireAtMost(FIRST_ARRAYS_BYTES + 4L * body.remaining(), () -> taken[0] = view.wrap(body, 0, version));

        KafkaReaders.Read read = KafkaReaders.requestBody(body, ApiMessageType.FETCH, version);
        if (taken[0]) {
            require(read != null, "accepted, but Kafka cannot read it");
            FetchRequestData data = (FetchRequestData) read.body();
            compare(view, data);
            List<String> asked = flat(data);
            if (view.session().isFull()) {
                decline(body, version, data);
            }
            askAsSession(body, view, data, asked);
        } else if (read != null) {
            require(!KafkaReaders.isKafkasWriting(read, body, version), "refused, but Kafka reads it");
        }
    }

    private static void compare(FetchRequestView view, FetchRequestData read) {
        require(view.maxWaitMs == read.maxWaitMs(), "max wait");
        require(view.minBytes == read.minBytes(), "min bytes");
        require(view.maxBytes == read.maxBytes(), "max bytes");
        require(view.isolationLevel == read.isolationLevel(), "isolation level");
        require(view.sessionId == read.sessionId(), "session id");
        require(view.sessionEpoch == read.sessionEpoch(), "session epoch");
        require(view.hasRack() != read.rackId().isEmpty(), "rack");
        int replicaId = view.version >= 15 ? read.replicaState().replicaId() : read.replicaId();
        require(view.replicaId == replicaId, "replica " + view.replicaId + " instead of " + replicaId);
        require(view.partitions.topicCount == read.topics().size(), "topics");
        int entry = 0;
        for (int t = 0; t < view.partitions.topicCount; t++) {
            FetchTopic topic = read.topics().get(t);
            require(
                    topicId(view.partitions, t).equals(topic.topicId() == null ? Uuid.ZERO_UUID : topic.topicId()),
                    "topic id");
            require(Objects.equals(view.version >= 13 ? null : topic.topic(), topicName(view.partitions, t)), "topic");
            for (FetchPartition partition : topic.partitions()) {
                compare(view, entry++, t, partition);
            }
        }
        require(view.partitions.count == entry, "partitions");
        int forgotten = read.forgottenTopicsData().stream()
                .mapToInt(topic -> topic.partitions().size())
                .sum();
        require(view.forgottenPartitions == forgotten, "forgotten partitions");
        FetchPartitions named = new FetchPartitions();
        view.addForgotten(named);
        require(named.count == forgotten, "named forgotten partitions");
        int k = 0;
        for (ForgottenTopic topic : read.forgottenTopicsData()) {
            for (int partition : topic.partitions()) {
                require(named.partition(k) == partition, "a forgotten partition");
                require(isTopic(view, named, named.topicOf(k++), topic.topicId(), topic.topic()), "a forgotten topic");
            }
        }
    }

    private static boolean isTopic(FetchRequestView view, FetchPartitions partitions, int t, Uuid id, String name) {
        return view.version >= 13 ? topicId(partitions, t).equals(id) : name.equals(topicName(partitions, t));
    }

    /** Compares the request with one without session that a session builds from it. */
    private static void askAsSession(
            ByteBuffer body, FetchRequestView view, FetchRequestData read, List<String> asked) {
        FetchPartitions session = new FetchPartitions();
        session.own();
        int entries = view.partitions.count;
        for (int i = 0; i < entries; i++) {
            session.append(view.partitions, i);
        }
        view.show(session);
        int[] order = IntStream.range(0, entries).toArray();
        ByteBuffer full =
                new SessionlessFetchWriter().write(body, 0, view, order).flip();
        KafkaReaders.Read again = KafkaReaders.requestBody(full, ApiMessageType.FETCH, view.version);
        require(again != null, "an unreadable request without a session");
        FetchRequestData written = (FetchRequestData) again.body();
        require(
                written.sessionId() == 0 && written.forgottenTopicsData().isEmpty(),
                "a session id or forgotten topics");
        require(written.rackId().equals(read.rackId()), "rack of a session");
        require(written.maxBytes() == read.maxBytes() && written.minBytes() == read.minBytes(), "limits");
        require(flat(written).equals(asked), "other partitions than the session's");
    }

    private static List<String> flat(FetchRequestData data) {
        List<String> partitions = new ArrayList<>();
        for (FetchTopic topic : data.topics()) {
            for (FetchPartition partition : topic.partitions()) {
                partitions.add(topic.topic()
                        + topic.topicId()
                        + '-'
                        + partition.partition()
                        + ' '
                        + partition.currentLeaderEpoch()
                        + ' '
                        + partition.fetchOffset()
                        + ' '
                        + partition.lastFetchedEpoch()
                        + ' '
                        + partition.logStartOffset()
                        + ' '
                        + partition.partitionMaxBytes());
            }
        }
        return partitions;
    }

    private static void compare(FetchRequestView view, int entry, int topic, FetchPartition partition) {
        require(view.partitions.topicOf(entry) == topic, "topic of an entry");
        require(view.partitions.partition(entry) == partition.partition(), "partition");
        require(view.partitions.currentLeaderEpoch(entry) == partition.currentLeaderEpoch(), "leader epoch");
        require(view.partitions.fetchOffset(entry) == partition.fetchOffset(), "fetch offset");
        require(view.partitions.lastFetchedEpoch(entry) == partition.lastFetchedEpoch(), "last fetched epoch");
        require(view.partitions.logStartOffset(entry) == partition.logStartOffset(), "log start offset");
        require(view.partitions.maxBytes(entry) == partition.partitionMaxBytes(), "max bytes of a partition");
    }

    private static void decline(ByteBuffer body, short version, FetchRequestData expected) {
        ByteBuffer patched =
                ByteBuffer.allocate(body.remaining()).put(body.duplicate()).flip();
        if (SessionlessFetch.patch(patched, 0, version)) {
            expected.setSessionId(0).setSessionEpoch(FetchMetadata.FINAL_EPOCH);
            KafkaReaders.Read read = KafkaReaders.requestBody(patched, ApiMessageType.FETCH, version);
            require(read != null && expected.equals(read.body()), "another request without a session");
        } else {
            require(version < 7, "no session to decline in version " + version);
        }
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }

    private static Uuid topicId(FetchPartitions partitions, int topic) {
        return new Uuid(partitions.topicIdHigh(topic), partitions.topicIdLow(topic));
    }

    private static String topicName(FetchPartitions partitions, int topic) {
        int length = partitions.topicNameLength(topic);
        if (length < 0) {
            return null;
        }
        byte[] bytes = new byte[length];
        partitions.names.get(partitions.topicNamePosition(topic), bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
