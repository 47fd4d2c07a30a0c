// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.protocol.KafkaFrames;
import io.slipstream.protocol.record.BatchHeader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.AbortedTransaction;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.LeaderIdAndEpoch;
import org.apache.kafka.common.message.FetchResponseData.NodeEndpoint;
import org.apache.kafka.common.message.FetchResponseData.NodeEndpointCollection;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Two answers to parts of a Fetch become the one that Kafka's classes write for the whole. */
class FetchResponseMergeTest {
    private static final short LATEST = FetchRequestView.LATEST_VERSION;
    private static final int MB = 1 << 20;

    private final FetchPartitions asked = new FetchPartitions();
    private final List<Integer> topics = new ArrayList<>();

    static List<Short> versions() {
        return IntStream.rangeClosed(FetchRequestView.OLDEST_VERSION, LATEST)
                .mapToObj(version -> (short) version)
                .toList();
    }

    private void ask(short version, int topic, int partition, int maxBytes) {
        if (asked.count == 0) {
            asked.own();
        }
        FetchPartitions one = new FetchPartitions();
        byte[] name = name(topic).getBytes(java.nio.charset.StandardCharsets.UTF_8);
        one.clear(ByteBuffer.wrap(name));
        if (version >= FetchFields.FIRST_TOPIC_ID) {
            one.addTopic(1L, topic);
        } else {
            one.addTopic(0, name.length);
        }
        one.ask(one.add(partition), -1, 0, -1, -1, maxBytes);
        asked.append(one, 0);
        topics.add(topic);
    }

    private static String name(int topic) {
        return "topic " + topic;
    }

    private PartitionData answer(short version, int entry, byte[] records) {
        PartitionData data = new PartitionData()
                .setPartitionIndex(asked.partition(entry))
                .setHighWatermark(100 + entry)
                .setLastStableOffset(90 + entry)
                .setAbortedTransactions(entry % 3 == 0 ? null : List.of(new AbortedTransaction().setProducerId(entry)))
                .setRecords(MemoryRecords.readableRecords(ByteBuffer.wrap(records)));
        if (version >= 5) {
            data.setLogStartOffset(entry);
        }
        if (version >= 11) {
            data.setPreferredReadReplica(entry % 4 - 1);
        }
        if (version >= 12 && entry % 2 == 0) {
            data.setCurrentLeader(new LeaderIdAndEpoch().setLeaderId(entry).setLeaderEpoch(7));
        }
        return data;
    }

    private FetchResponseData response(short version, List<Integer> entries, List<PartitionData> answers) {
        FetchResponseData data = new FetchResponseData().setResponses(new ArrayList<>());
        int before = -1;
        for (int entry : entries) {
            if (topics.get(entry) != before) {
                before = topics.get(entry);
                FetchableTopicResponse topic = new FetchableTopicResponse().setPartitions(new ArrayList<>());
                data.responses()
                        .add(version >= 13 ? topic.setTopicId(new Uuid(1, before)) : topic.setTopic(name(before)));
            }
            data.responses().get(data.responses().size() - 1).partitions().add(answers.get(entry));
        }
        return data;
    }

    private static FetchResponseData ofBroker(short version, FetchResponseData data) {
        if (version >= 16) {
            NodeEndpointCollection endpoints = new NodeEndpointCollection();
            endpoints.add(
                    new NodeEndpoint().setNodeId(5).setHost("host").setPort(9).setRack("r"));
            data.setNodeEndpoints(endpoints);
        }
        return data.setThrottleTimeMs(11);
    }

    private static ByteBuffer frame(short version, FetchResponseData data) {
        return KafkaFrames.response(ApiKeys.FETCH, version, 42, data);
    }

    /** Null if the broker's answer stands alone. */
    private ByteBuffer merged(
            short version, boolean[] byBroker, ByteBuffer part, ByteBuffer rest, int maxBytes, int[] readBytes) {
        FetchResponseMerge merge = new FetchResponseMerge(version, asked, byBroker);
        int mostBytes = merge.read(part, rest);
        assertThat(mostBytes).isNotNegative();
        if (mostBytes == 0) {
            return null;
        }
        ByteBuffer out = ByteBuffer.allocateDirect(mostBytes);
        merge.write(out, part, rest, maxBytes, readBytes);
        return out.flip();
    }

    @ParameterizedTest
    @MethodSource("versions")
    void shouldBeWhatABrokerAnswersToTheWhole(short version) {
        long seed = Long.getLong("slipstream.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            asked.own();
            topics.clear();
            int count = 2 + random.nextInt(12);
            boolean[] byBroker = new boolean[count];
            List<PartitionData> answers = new ArrayList<>();
            List<Integer> all = new ArrayList<>();
            List<Integer> served = new ArrayList<>();
            List<Integer> asOfBroker = new ArrayList<>();
            List<Integer> unread = new ArrayList<>();
            for (int entry = 0; entry < count; entry++) {
                ask(version, random.nextInt(3), entry, MB);
                byBroker[entry] = random.nextBoolean();
                byte[] records = random.nextBoolean() ? new byte[0] : log(random, 3, 40);
                answers.add(answer(version, entry, records));
                if (!byBroker[entry]) {
                    served.add(entry);
                } else if (random.nextInt(3) == 0) {
                    Errors[] before = {
                        Errors.UNKNOWN_TOPIC_ID, Errors.UNKNOWN_TOPIC_OR_PARTITION, Errors.TOPIC_AUTHORIZATION_FAILED
                    };
                    answers.get(entry).setErrorCode(before[random.nextInt(3)].code());
                    unread.add(entry);
                    continue;
                } else {
                    asOfBroker.add(entry);
                    answers.get(entry).setErrorCode(random.nextBoolean() ? 0 : Errors.OFFSET_OUT_OF_RANGE.code());
                }
                all.add(entry);
            }
            all.addAll(unread);
            asOfBroker.addAll(unread);
            ByteBuffer part = frame(version, response(version, served, answers));
            ByteBuffer rest = frame(version, ofBroker(version, response(version, asOfBroker, answers)));
            assertThat(merged(version, byBroker, part, rest, 100 * MB, new int[count]))
                    .as("seed %d, round %d", seed, round)
                    .isEqualTo(frame(version, ofBroker(version, response(version, all, answers))));
        }
    }

    private static byte[] log(Random random, int batches, int mostRecords) {
        MemoryRecords[] made = new MemoryRecords[1 + random.nextInt(batches)];
        for (int i = 0; i < made.length; i++) {
            made[i] = KafkaFrames.batch(100L * i, 3, 1 + random.nextInt(mostRecords));
        }
        ByteBuffer log = KafkaFrames.log(made);
        byte[] bytes = new byte[log.remaining()];
        log.get(bytes);
        return bytes;
    }

    /**
     * Bytes that a broker reads: within the limits in order, with a batch that they cut, but at least one batch of the
     * first partition with records.
     */
    private static int readable(byte[] log, int limit, boolean first) {
        if (BatchHeader.wholeBatchBytes(ByteBuffer.wrap(log), 0, Math.min(log.length, limit)) > 0) {
            return Math.min(log.length, limit);
        }
        return first && log.length > 0 ? (int) BatchHeader.sizeBytes(ByteBuffer.wrap(log), 0) : 0;
    }

    private static int whole(byte[] log, int bytes) {
        return BatchHeader.wholeBatchBytes(ByteBuffer.wrap(log), 0, bytes);
    }

    @Test
    void shouldKeepTheLimitsOfTheRequestOverBothParts() {
        long seed = Long.getLong("slipstream.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int round = 0; round < 2000; round++) {
            asked.own();
            topics.clear();
            int count = 2 + random.nextInt(6);
            int maxBytes = random.nextInt(3000);
            boolean[] byBroker = new boolean[count];
            List<PartitionData> answers = new ArrayList<>();
            List<Integer> served = new ArrayList<>();
            List<Integer> rest = new ArrayList<>();
            List<Integer> all = new ArrayList<>();
            byte[][] logs = new byte[count][];
            int[] left = {maxBytes, maxBytes, maxBytes};
            boolean[] first = {true, true, true};
            int[] expected = new int[count];
            int restReduction = 0;
            int[] read = new int[count];
            for (int entry = 0; entry < count; entry++) {
                ask(LATEST, 0, entry, random.nextInt(1500));
                byBroker[entry] = random.nextBoolean();
                logs[entry] = random.nextInt(4) == 0 ? new byte[0] : log(random, 4, 20);
                expected[entry] = whole(logs[entry], take(logs[entry], entry, 2, left, first));
                int of = byBroker[entry] ? 1 : 0;
                if (of == 1 && rest.isEmpty()) {
                    left[1] = Math.max(0, maxBytes - restReduction);
                }
                int sent = take(logs[entry], entry, of, left, first);
                restReduction += of == 0 ? sent : 0;
                read[entry] = sent;
                (of == 1 ? rest : served).add(entry);
                all.add(entry);
                answers.add(answer(
                        LATEST, entry, Arrays.copyOf(logs[entry], of == 0 ? whole(logs[entry], sent) : sent)));
            }
            ByteBuffer merged = merged(
                    LATEST,
                    byBroker,
                    frame(LATEST, response(LATEST, served, answers)),
                    frame(LATEST, response(LATEST, rest, answers)),
                    maxBytes,
                    read);
            int[] got = new int[count];
            assertThat(new FetchResponseView().walk(merged, LATEST, at -> got[at.partition] = at.recordBytes))
                    .isTrue();
            int leftBytes = maxBytes;
            boolean isFirst = true;
            for (int entry = 0; entry < count; entry++) {
                if (isFirst) {
                    assertThat(whole(logs[entry], got[entry]))
                            .as("up to the first with records: seed %d, round %d, entry %d", seed, round, entry)
                            .isEqualTo(expected[entry]);
                } else {
                    assertThat(got[entry])
                            .as("seed %d, round %d, entry %d", seed, round, entry)
                            .isLessThanOrEqualTo(Math.min(asked.maxBytes(entry), leftBytes));
                }
                isFirst &= expected[entry] == 0;
                leftBytes = Math.max(0, leftBytes - got[entry]);
            }
        }
    }

    private int take(byte[] log, int entry, int of, int[] left, boolean[] first) {
        int size = readable(log, Math.min(asked.maxBytes(entry), left[of]), first[of]);
        left[of] = Math.max(0, left[of] - size);
        first[of] &= size == 0;
        return size;
    }

    @Test
    void shouldLeaveAnErrorOrAThrottledAnswerToStandAlone() {
        ask(LATEST, 0, 0, MB);
        ask(LATEST, 0, 1, MB);
        List<PartitionData> answers = List.of(answer(LATEST, 0, new byte[0]), answer(LATEST, 1, new byte[0]));
        ByteBuffer part = frame(LATEST, response(LATEST, List.of(0), answers));
        ByteBuffer throttled = frame(LATEST, new FetchResponseData().setThrottleTimeMs(100));
        assertThat(merged(LATEST, new boolean[] {false, true}, part, throttled, MB, new int[2]))
                .isNull();
    }

    @Test
    void shouldRefuseWhatNobodyAskedFor() {
        ask(LATEST, 0, 0, MB);
        ask(LATEST, 0, 1, MB);
        List<PartitionData> answers = List.of(answer(LATEST, 0, new byte[0]), answer(LATEST, 1, new byte[0]));
        ByteBuffer both = frame(LATEST, response(LATEST, List.of(0, 1), answers));
        ByteBuffer second = frame(LATEST, response(LATEST, List.of(1), answers));
        boolean[] byBroker = {true, false};
        assertThat(read(byBroker, second, both)).isNegative();
        assertThat(read(byBroker, second, second)).isNegative();
        ByteBuffer first = frame(LATEST, response(LATEST, List.of(0), answers));
        for (int limit = 0; limit < first.limit(); limit++) {
            assertThat(read(byBroker, second, first.duplicate().limit(limit)))
                    .as("%d bytes", limit)
                    .isNegative();
        }
    }

    private int read(boolean[] byBroker, ByteBuffer part, ByteBuffer rest) {
        return new FetchResponseMerge(LATEST, asked, byBroker).read(part, rest);
    }
}
