// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.protocol.Allocation;
import io.slipstream.protocol.KafkaFrames;
import io.slipstream.protocol.Seeds;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.AbortedTransaction;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.NodeEndpoint;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.types.RawTaggedField;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.FetchResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A response that is read part by part, against the same response as a whole, and against Kafka's own reader. */
class FetchResponsePartsTest {
    private static final int SIZE_BYTES = 4;
    private static final int MALFORMED = -1;

    private final FetchResponseView whole = FetchResponseView.counting(false);
    private final FetchResponseView parts = FetchResponseView.counting(true);
    private long counted;

    static IntStream versions() {
        return IntStream.rangeClosed(4, ApiKeys.FETCH.latestVersion());
    }

    @ParameterizedTest
    @MethodSource("versions")
    void shouldReadTheSameWhereverTheResponseIsCut(int version) {
        Random random = Seeds.random("shouldReadTheSameWhereverTheResponseIsCut");
        for (int round = 0; round < 3; round++) {
            ByteBuffer frame = KafkaFrames.response(ApiKeys.FETCH, (short) version, round, response(random, version));
            List<String> expected = read(frame, version);
            ByteBuffer once = null;
            for (int cut = 1; cut < SIZE_BYTES + frame.remaining(); cut++) {
                int first = cut;
                List<String> seen = new ArrayList<>();
                ByteBuffer passed = pass(frame, version, taken -> taken == 0 ? first : Integer.MAX_VALUE, seen);
                assertThat(seen).as("cut at %d", cut).isEqualTo(expected);
                once = once == null ? passed : once;
                assertThat(passed).as("cut at %d", cut).isEqualTo(once);
            }
            List<String> seen = new ArrayList<>();
            assertThat(pass(frame, version, taken -> 1, seen)).isEqualTo(once);
            assertThat(seen).as("byte by byte").isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @MethodSource("versions")
    void shouldChangeNothingButTheNodeEndpoints(int version) {
        Random random = Seeds.random("shouldChangeNothingButTheNodeEndpoints");
        for (int round = 0; round < 50; round++) {
            FetchResponseData data = response(random, version);
            ByteBuffer frame = KafkaFrames.response(ApiKeys.FETCH, (short) version, round, data);
            ByteBuffer passed = pass(frame, version, taken -> 1 + random.nextInt(600), new ArrayList<>())
                    .position(SIZE_BYTES);
            assertThat(passed.remaining()).isEqualTo(frame.remaining());
            if (data.nodeEndpoints().isEmpty()) {
                assertThat(passed).isEqualTo(frame);
                continue;
            }
            FetchResponseData kept = parse(passed, version);
            assertThat(kept.nodeEndpoints()).isEmpty();
            RawTaggedField field = kept.unknownTaggedFields().remove(0);
            assertThat(field.tag()).isEqualTo(127);
            assertThat(kept.setNodeEndpoints(data.nodeEndpoints())).isEqualTo(parse(frame, version));
        }
    }

    @ParameterizedTest
    @MethodSource("versions")
    void shouldRefusePartByPartWhatItRefusesAsAWhole(int version) {
        Random random = Seeds.random("shouldRefusePartByPartWhatItRefusesAsAWhole");
        int refused = 0;
        for (int round = 0; round < 2_000; round++) {
            ByteBuffer frame = KafkaFrames.response(ApiKeys.FETCH, (short) version, round, response(random, version));
            ByteBuffer damaged = ByteBuffer.allocate(frame.remaining())
                    .put(frame.duplicate())
                    .flip();
            for (int i = 1 + random.nextInt(4); i > 0; i--) {
                damaged.put(random.nextInt(damaged.limit()), (byte) random.nextInt());
            }
            if (random.nextInt(3) == 0) {
                damaged.limit(random.nextInt(damaged.limit()));
            }
            boolean accepted = whole.walk(damaged, (short) version, at -> {});
            refused += accepted ? 0 : 1;
            ByteBuffer passed = pass(damaged, version, taken -> 1 + random.nextInt(600), new ArrayList<>());
            assertThat(passed != null).isEqualTo(accepted);
        }
        assertThat(refused).isBetween(200, 1_900);
    }

    /** More bytes of the response follow, so its end is behind the end of the buffer. */
    @Test
    void shouldRefuseATagThatCannotBeRead() {
        ByteBuffer frame = KafkaFrames.response(ApiKeys.FETCH, (short) 17, 1, ApiKeys.FETCH.messageType.newResponse());
        ByteBuffer part = ByteBuffer.allocate(frame.remaining() + 400).put(frame.duplicate());
        part.put(frame.limit() - 1, (byte) 1).putInt(frame.limit(), -1).putInt(frame.limit() + 1, -1);

        assertThat(parts.begin((short) 17, 0)).isTrue();
        assertThat(parts.advance(part.rewind(), 10, at -> {})).isEqualTo(MALFORMED);
    }

    @ParameterizedTest
    @MethodSource("versions")
    void shouldAllocateNothing(int version) {
        ByteBuffer frame =
                KafkaFrames.response(ApiKeys.FETCH, (short) version, 1, response(new Random(version), version));
        Consumer<FetchResponseView> counting = at -> counted += at.recordCount;
        Runnable walks = () -> {
            for (int i = 0; i < 1_000; i++) {
                parts.begin((short) version, 0);
                parts.advance(frame, 0, counting);
            }
        };
        walks.run();
        assertThat(Allocation.bytesOf(walks)).isLessThan(2_000);
    }

    private static FetchResponseData parse(ByteBuffer frame, int version) {
        ByteBufferAccessor in = new ByteBufferAccessor(frame.duplicate());
        new ResponseHeaderData(in, ApiKeys.FETCH.responseHeaderVersion((short) version));
        return FetchResponse.parse(in, (short) version).data();
    }

    private List<String> read(ByteBuffer frame, int version) {
        List<String> seen = new ArrayList<>();
        assertThat(whole.walk(frame, (short) version, at -> seen.add(describe(at))))
                .isTrue();
        return seen;
    }

    /** Reads the frame behind its size as a decoder does: what was not read comes again, with the next bytes. */
    private ByteBuffer pass(ByteBuffer frame, int version, IntUnaryOperator sizes, List<String> seen) {
        int frameBytes = SIZE_BYTES + frame.remaining();
        ByteBuffer stream = ByteBuffer.allocate(frameBytes);
        stream.putInt(frame.remaining()).put(frame.duplicate()).flip();
        ByteBuffer passed = ByteBuffer.allocate(frameBytes);
        assertThat(parts.begin((short) version, SIZE_BYTES)).isTrue();
        int received = 0;
        int taken = 0;
        while (taken < frameBytes) {
            assertThat(received).as("it waits for bytes behind the end").isLessThan(frameBytes);
            received = (int) Math.min(frameBytes, (long) received + sizes.applyAsInt(received));
            // Bytes that are not here yet are not in the buffer.
            ByteBuffer part = ByteBuffer.allocate(7 + received - taken);
            part.position(7)
                    .put(stream.duplicate().position(taken).limit(received))
                    .position(7);
            int end = parts.advance(part, frameBytes - received, at -> seen.add(describe(at)));
            if (end == MALFORMED) {
                return null;
            }
            taken += end - 7;
            passed.put(part.limit(end));
        }
        return passed.flip();
    }

    private static String describe(FetchResponseView at) {
        byte[] topic = new byte[Math.min(250, at.topicLength)];
        at.topic.get(at.topicStart, topic);
        return new String(topic, StandardCharsets.ISO_8859_1)
                + ' '
                + at.partition
                + ' '
                + at.partitionError
                + ' '
                + at.highWatermark
                + ' '
                + at.logStartOffset
                + ' '
                + at.hasDivergingEpoch
                + ' '
                + at.hasPreferredReplica
                + ' '
                + at.recordBytes
                + ' '
                + at.recordCount;
    }

    private static FetchResponseData response(Random random, int version) {
        FetchResponseData data = new FetchResponseData().setThrottleTimeMs(random.nextInt(100));
        if (version >= 7) {
            data.setSessionId(random.nextInt()).setErrorCode((short) random.nextInt(3));
        }
        for (int t = random.nextInt(4); t > 0; t--) {
            FetchableTopicResponse topic = new FetchableTopicResponse()
                    .setTopic("t".repeat(random.nextInt(4) == 0 ? 200 + random.nextInt(200) : 1 + random.nextInt(20)))
                    .setTopicId(new Uuid(random.nextLong(), random.nextLong()));
            for (int p = random.nextInt(5); p > 0; p--) {
                topic.partitions().add(partition(random, version, p));
            }
            if (version >= 12) {
                addUnknownTags(random, topic.unknownTaggedFields());
            }
            data.responses().add(topic);
        }
        if (version >= 16 && random.nextBoolean()) {
            for (int n = random.nextInt(3); n >= 0; n--) {
                data.nodeEndpoints()
                        .add(new NodeEndpoint()
                                .setNodeId(n)
                                .setHost("h".repeat(1 + random.nextInt(200)))
                                .setRack(random.nextBoolean() ? null : "rack")
                                .setPort(9092));
            }
        }
        if (version >= 12) {
            addUnknownTags(random, data.unknownTaggedFields());
        }
        return data;
    }

    private static PartitionData partition(Random random, int version, int index) {
        PartitionData partition = new PartitionData()
                .setPartitionIndex(index)
                .setErrorCode((short) random.nextInt(4))
                .setHighWatermark(random.nextLong())
                .setLastStableOffset(random.nextLong())
                .setLogStartOffset(version >= 5 ? random.nextLong() : -1)
                .setPreferredReadReplica(version >= 11 && random.nextBoolean() ? 3 : -1)
                .setRecords(records(random));
        if (random.nextBoolean()) {
            partition.setAbortedTransactions(IntStream.range(0, random.nextInt(5))
                    .mapToObj(i -> new AbortedTransaction().setProducerId(i).setFirstOffset(random.nextLong()))
                    .toList());
        }
        if (version >= 12) {
            if (random.nextBoolean()) {
                partition.currentLeader().setLeaderId(3).setLeaderEpoch(4);
            }
            if (random.nextBoolean()) {
                partition.divergingEpoch().setEpoch(5).setEndOffset(6);
            }
            if (random.nextBoolean()) {
                partition.snapshotId().setEpoch(7).setEndOffset(8);
            }
            addUnknownTags(random, partition.unknownTaggedFields());
        }
        return partition;
    }

    private static void addUnknownTags(Random random, List<RawTaggedField> to) {
        for (int i = random.nextInt(3); i > 0; i--) {
            byte[] value = new byte[random.nextInt(i == 1 ? 10 : 400)];
            random.nextBytes(value);
            to.add(new RawTaggedField(300 - i, value));
        }
    }

    /** Null, empty, whole batches, or whole batches with a part of another one or with other bytes behind them. */
    private static MemoryRecords records(Random random) {
        int kind = random.nextInt(5);
        if (kind < 2) {
            return kind == 0 ? null : MemoryRecords.EMPTY;
        }
        ByteBuffer log = KafkaFrames.log(
                KafkaFrames.batch(3, 1, 1 + random.nextInt(9)), KafkaFrames.batch(100, 1, 1 + random.nextInt(9)));
        log.limit(log.limit() - (kind == 3 ? 1 + random.nextInt(log.limit() - 1) : 0));
        if (kind == 4) {
            log.put(16 + random.nextInt(log.limit() - 16), (byte) random.nextInt());
        }
        return MemoryRecords.readableRecords(log);
    }
}
