// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.protocol.Allocation;
import io.slipstream.protocol.KafkaFrames;
import io.slipstream.protocol.wire.RequestHeaderView;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchRequestData.ForgottenTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.EpochEndOffset;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.NodeEndpoint;
import org.apache.kafka.common.message.FetchResponseData.NodeEndpointCollection;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The request sent to a broker instead of an incremental Fetch, and the translation of its answer. Kafka's own classes
 * read and write the rest.
 */
class FetchSessionFramesTest {
    private static final int MB = 1 << 20;

    private final FetchRequestView view = new FetchRequestView();
    private final RequestHeaderView header = new RequestHeaderView();

    static List<Short> versions() {
        return java.util.stream.IntStream.rangeClosed(7, FetchRequestView.LATEST_VERSION)
                .mapToObj(version -> (short) version)
                .toList();
    }

    @ParameterizedTest
    @MethodSource("versions")
    void shouldAskAllOfTheSessionWithoutASession(short version) {
        FetchPartitions session = new FetchPartitions();
        session.own();
        wrap(
                version,
                request(version, 1)
                        .setTopics(List.of(
                                topic(version, "first", 1, entry(version, 0, 5), entry(version, 1, 6)),
                                topic(version, "second", 2, entry(version, 3, 7)))));
        for (int i = 0; i < 3; i++) {
            session.append(view.partitions, i);
        }
        FetchRequestData incremental = request(version, 9).setSessionId(77).setSessionEpoch(4);
        ByteBuffer frame = wrap(version, incremental);
        view.show(session);

        ByteBuffer written = new SessionlessFetchWriter()
                .write(frame, header.bodyPosition, view, new int[] {1, 2, 0})
                .flip();

        FetchRequestData expected = request(version, 9)
                .setSessionEpoch(-1)
                .setTopics(List.of(
                        topic(version, "first", 1, entry(version, 1, 6)),
                        topic(version, "second", 2, entry(version, 3, 7)),
                        topic(version, "first", 1, entry(version, 0, 5))));
        assertThat(written).isEqualTo(KafkaFrames.request(ApiKeys.FETCH, version, 3, "käse", expected));
    }

    @ParameterizedTest
    @MethodSource("versions")
    void shouldNameWhatIsForgotten(short version) {
        wrap(
                version,
                request(version, 1)
                        .setForgottenTopicsData(List.of(
                                new ForgottenTopic()
                                        .setTopic("a")
                                        .setTopicId(new Uuid(1, 1))
                                        .setPartitions(List.of(4, 2)),
                                new ForgottenTopic()
                                        .setTopic("bb")
                                        .setTopicId(new Uuid(2, 2))
                                        .setPartitions(List.of(9)))));
        FetchPartitions forgotten = new FetchPartitions();
        view.addForgotten(forgotten);

        assertThat(forgotten.count).isEqualTo(3);
        assertThat(List.of(forgotten.partition(0), forgotten.partition(1), forgotten.partition(2)))
                .containsExactly(4, 2, 9);
        assertThat(forgotten.topicOf(2)).isEqualTo(1);
        assertThat(
                        version >= 13
                                ? FetchRequestViewTest.topicId(forgotten, 1)
                                : FetchRequestViewTest.topicName(forgotten, 1))
                .isEqualTo(version >= 13 ? new Uuid(2, 2) : "bb");
    }

    /** The new answer, for which no memory but the broker's is used. */
    private static ByteBuffer inPlace(
            ByteBuffer response, short version, int sessionId, IncrementalFetchResponse.Selection selection) {
        ByteBuffer socket = ByteBuffer.allocateDirect(response.remaining() + 7);
        socket.put(7, response, response.position(), response.remaining()).position(7);
        IncrementalFetchResponse translation = new IncrementalFetchResponse(socket, version);
        assertThat(translation.select(selection)).isTrue();
        int sizeBytes = translation.write(sessionId);
        assertThat(socket.position()).isEqualTo(7);
        return socket.limit(7 + sizeBytes);
    }

    @ParameterizedTest
    @MethodSource("versions")
    void shouldMoveNothingButTheSessionIdIfAllIsNamed(short version) {
        List<FetchableTopicResponse> topics = List.of(
                answered("a", 1, answer(version, 0, 10), answer(version, 1, 20)),
                answered("b", 2, answer(version, 0, 30)));
        assertThat(inPlace(response(version, 0, topics), version, 55, (partitions, entry, answered) -> true))
                .isEqualTo(response(version, 55, topics));
    }

    @ParameterizedTest
    @MethodSource("versions")
    void shouldCopyNoRecordsOnTheHeap(short version) {
        PartitionData large = answer(version, 0, 10).setRecords(MemoryRecords.readableRecords(ByteBuffer.allocate(MB)));
        ByteBuffer response = response(version, 0, List.of(answered("a", 1, answer(version, 1, 20), large)));
        assertThat(Allocation.bytesOf(() -> {
                    IncrementalFetchResponse translation = new IncrementalFetchResponse(response, version);
                    translation.select((partitions, entry, answered) -> entry == 1);
                    translation.write(55);
                }))
                .isLessThan(MB / 2);
    }

    @ParameterizedTest
    @MethodSource("versions")
    void shouldKeepAnyChoiceOfManyPartitions(short version) {
        long seed = Long.getLong("slipstream.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int round = 0; round < 50; round++) {
            boolean[] named = new boolean[400];
            List<FetchableTopicResponse> all = new ArrayList<>();
            List<FetchableTopicResponse> chosen = new ArrayList<>();
            double share = random.nextDouble();
            for (int entry = 0, topic = 0; entry < named.length; topic++) {
                List<PartitionData> listed = new ArrayList<>();
                List<PartitionData> kept = new ArrayList<>();
                for (int left = 1 + random.nextInt(200); left > 0 && entry < named.length; left--, entry++) {
                    named[entry] = random.nextDouble() < share;
                    PartitionData answer = answer(version, entry, entry);
                    listed.add(answer);
                    if (named[entry]) {
                        kept.add(answer);
                    }
                }
                all.add(answered("topic " + topic, topic + 1, listed.toArray(PartitionData[]::new)));
                if (!kept.isEmpty()) {
                    chosen.add(answered("topic " + topic, topic + 1, kept.toArray(PartitionData[]::new)));
                }
            }
            assertThat(inPlace(response(version, 0, all), version, 55, (partitions, entry, answered) -> named[entry]))
                    .as("seed %d, round %d", seed, round)
                    .isEqualTo(response(version, 55, chosen));
        }
    }

    @ParameterizedTest
    @MethodSource("versions")
    void shouldLeaveOutWhatIsNotToBeNamedAndMergeTopics(short version) {
        ByteBuffer full = response(
                version,
                0,
                List.of(
                        answered("a", 1, answer(version, 0, 10), answer(version, 1, 20)),
                        answered("b", 2, answer(version, 0, 30)),
                        answered("a", 1, answer(version, 2, 40))));

        ByteBuffer incremental = inPlace(
                full,
                version,
                55,
                (partitions, entry, answered) -> answered.highWatermark % 30 != 0
                        && answered.recordBytes == 3
                        && answered.logStartOffset == 4
                        && answered.partitionError == 6
                        && answered.hasDivergingEpoch == version >= 12
                        && answered.hasPreferredReplica == version >= 11);

        assertThat(incremental)
                .isEqualTo(response(
                        version,
                        55,
                        List.of(answered(
                                "a", 1, answer(version, 0, 10), answer(version, 1, 20), answer(version, 2, 40)))));
    }

    @ParameterizedTest
    @MethodSource("versions")
    void shouldRefuseWhatIsCutShort(short version) {
        ByteBuffer full = response(version, 0, List.of(answered("a", 1, answer(version, 0, 10))));
        for (int limit = 0; limit < full.limit(); limit++) {
            ByteBuffer cut = full.duplicate().limit(limit);
            assertThat(new IncrementalFetchResponse(cut, version).select((partitions, entry, answered) -> true))
                    .as("%d of %d bytes", limit, full.limit())
                    .isFalse();
        }
    }

    private ByteBuffer wrap(short version, FetchRequestData data) {
        ByteBuffer frame = KafkaFrames.request(ApiKeys.FETCH, version, 3, "käse", data);
        assertThat(header.wrap(frame)).isTrue();
        assertThat(view.wrap(frame, header.bodyPosition, version)).isTrue();
        return frame;
    }

    private static FetchRequestData request(short version, int waitMs) {
        return new FetchRequestData()
                .setMaxWaitMs(waitMs)
                .setMinBytes(2)
                .setMaxBytes(3)
                .setIsolationLevel((byte) 1)
                .setRackId(version >= 11 ? "räck" : "");
    }

    private static FetchTopic topic(short version, String name, long id, FetchPartition... entries) {
        FetchTopic topic = new FetchTopic().setPartitions(List.of(entries));
        return version >= 13 ? topic.setTopicId(new Uuid(id, id)) : topic.setTopic(name);
    }

    private static FetchPartition entry(short version, int partition, long offset) {
        return new FetchPartition()
                .setPartition(partition)
                .setFetchOffset(offset)
                .setCurrentLeaderEpoch(version >= 9 ? 8 : -1)
                .setLastFetchedEpoch(version >= 12 ? 7 : -1)
                .setLogStartOffset(-1)
                .setPartitionMaxBytes(1000);
    }

    private static FetchableTopicResponse answered(String name, long id, PartitionData... partitions) {
        return new FetchableTopicResponse()
                .setTopic(name)
                .setTopicId(new Uuid(id, id))
                .setPartitions(List.of(partitions));
    }

    private static PartitionData answer(short version, int partition, long highWatermark) {
        PartitionData data = new PartitionData()
                .setPartitionIndex(partition)
                .setErrorCode((short) 6)
                .setHighWatermark(highWatermark)
                .setLastStableOffset(highWatermark)
                .setLogStartOffset(4)
                .setAbortedTransactions(List.of(new FetchResponseData.AbortedTransaction()
                        .setFirstOffset(1)
                        .setProducerId(2)))
                .setRecords(MemoryRecords.readableRecords(ByteBuffer.wrap(new byte[] {1, 2, 3})));
        if (version >= 11) {
            data.setPreferredReadReplica(2);
        }
        return version >= 12
                ? data.setDivergingEpoch(new EpochEndOffset().setEpoch(1).setEndOffset(2))
                : data;
    }

    private static ByteBuffer response(short version, int sessionId, List<FetchableTopicResponse> topics) {
        FetchResponseData data = new FetchResponseData()
                .setThrottleTimeMs(12)
                .setSessionId(sessionId)
                .setResponses(topics);
        if (version >= 16) {
            NodeEndpointCollection nodes = new NodeEndpointCollection();
            nodes.add(new NodeEndpoint().setNodeId(1).setHost("there").setPort(9));
            data.setNodeEndpoints(nodes);
        }
        return KafkaFrames.response(ApiKeys.FETCH, version, 5, data);
    }
}
