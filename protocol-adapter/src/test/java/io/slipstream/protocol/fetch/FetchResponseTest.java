// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.protocol.Allocation;
import io.slipstream.protocol.KafkaFrames;
import io.slipstream.protocol.Seeds;
import io.slipstream.protocol.wire.RequestHeaderView;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.AbortedTransaction;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.NodeEndpoint;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.FetchResponse;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.Test;

/** The writer and the view against Kafka's own serializer and parser, in all versions. */
class FetchResponseTest {
    private final FetchResponseWriter writer = new FetchResponseWriter();
    private final FetchResponseView view = FetchResponseView.counting(false);
    private final Consumer<FetchResponseView> counting = this::count;
    private int partitions;
    private int errors;
    private long records;
    private long bytes;

    private boolean wrap(ByteBuffer frame, short version) {
        partitions = 0;
        errors = 0;
        records = 0;
        bytes = 0;
        return view.walk(frame, version, counting);
    }

    private void count(FetchResponseView at) {
        partitions++;
        errors += at.partitionError == 0 ? 0 : 1;
        records += at.recordCount;
        bytes += at.recordBytes;
    }

    @Test
    void shouldWriteByteForByteWhatKafkaWrites() {
        Random random = Seeds.random("shouldWriteByteForByteWhatKafkaWrites");
        for (short version = 4; version <= ApiKeys.FETCH.latestVersion(); version++) {
            for (int round = 0; round < 100; round++) {
                FetchResponseData data = response(random, version, random.nextBoolean());
                byte[] written = write(data, version, round);
                ByteBuffer expected = KafkaFrames.response(ApiKeys.FETCH, version, round, data);
                assertThat(written).as("version %d", version).isEqualTo(Utils.toArray(expected));

                ByteBufferAccessor in = new ByteBufferAccessor(ByteBuffer.wrap(written));
                ResponseHeaderData header = new ResponseHeaderData(in, ApiKeys.FETCH.responseHeaderVersion(version));
                assertThat(header.correlationId()).isEqualTo(round);
                FetchResponseData parsed = FetchResponse.parse(in, version).data();
                assertThat(in.remaining()).isZero();
                assertThat(parsed.responses()).hasSameSizeAs(data.responses());
                assertThat(parsed.errorCode()).isEqualTo(data.errorCode());
            }
        }
    }

    @Test
    void shouldAnswerWithAnErrorAlone() {
        for (short version = 7; version <= ApiKeys.FETCH.latestVersion(); version++) {
            ByteBuffer out = ByteBuffer.allocate(32);
            writer.errorOnly(out, version, 77, 3, Errors.FETCH_SESSION_ID_NOT_FOUND, 0);
            FetchResponseData data =
                    new FetchResponseData().setThrottleTimeMs(3).setErrorCode(Errors.FETCH_SESSION_ID_NOT_FOUND.code());
            assertThat(out.flip()).isEqualTo(KafkaFrames.response(ApiKeys.FETCH, version, 77, data));
            assertThat(wrap(out, version)).isTrue();
            assertThat(view.error).isEqualTo(Errors.FETCH_SESSION_ID_NOT_FOUND.code());
        }
    }

    @Test
    void shouldRepeatTheTopicsOfTheRequest() {
        for (short version = 4; version <= ApiKeys.FETCH.latestVersion(); version++) {
            FetchRequestData request = new FetchRequestData();
            request.topics()
                    .add(new FetchRequestData.FetchTopic()
                            .setTopic("käse")
                            .setTopicId(new Uuid(7, 8))
                            .setPartitions(List.of(new FetchRequestData.FetchPartition())));
            ByteBuffer frame = KafkaFrames.request(ApiKeys.FETCH, version, 1, "client", request);
            RequestHeaderView header = new RequestHeaderView();
            FetchRequestView requestView = new FetchRequestView();
            header.wrap(frame);
            assertThat(requestView.wrap(frame, header.bodyPosition, version)).isTrue();
            ByteBuffer out = ByteBuffer.allocate(100);
            writer.begin(out, version, 1, 0, Errors.NONE, 0, 1);
            writer.topic(requestView.partitions, 0, 0);
            writer.endTopic();
            writer.end();
            FetchResponseData data = new FetchResponseData();
            data.responses().add(new FetchableTopicResponse().setTopic("käse").setTopicId(new Uuid(7, 8)));
            assertThat(out.flip()).isEqualTo(KafkaFrames.response(ApiKeys.FETCH, version, 1, data));
        }
    }

    @Test
    void shouldCountRecords() {
        Random random = Seeds.random("shouldCountRecords");
        for (short version = 4; version <= ApiKeys.FETCH.latestVersion(); version++) {
            for (int round = 0; round < 50; round++) {
                FetchResponseData data = response(random, version, true);
                long wroteRecords = 0;
                long wroteBytes = 0;
                int wrotePartitions = 0;
                int wroteErrors = 0;
                for (FetchableTopicResponse topic : data.responses()) {
                    for (PartitionData partition : topic.partitions()) {
                        wrotePartitions++;
                        wroteErrors += partition.errorCode() == 0 ? 0 : 1;
                        MemoryRecords batches = (MemoryRecords) partition.records();
                        wroteBytes += batches.sizeInBytes();
                        for (var batch : batches.batches()) {
                            wroteRecords += batch.countOrNull();
                        }
                        if (random.nextInt(3) == 0) {
                            partition.setAbortedTransactions(List.of(
                                    new AbortedTransaction().setProducerId(4).setFirstOffset(5)));
                        }
                        if (version >= 12 && random.nextInt(3) == 0) {
                            partition.currentLeader().setLeaderId(3).setLeaderEpoch(4);
                        }
                    }
                }
                if (version >= 16 && random.nextBoolean()) {
                    data.nodeEndpoints()
                            .add(new NodeEndpoint().setNodeId(3).setHost("host").setPort(9092));
                }
                ByteBuffer frame = KafkaFrames.response(ApiKeys.FETCH, version, round, data);
                assertThat(wrap(frame, version)).as("version %d", version).isTrue();
                assertThat(records).isEqualTo(wroteRecords);
                assertThat(bytes).isEqualTo(wroteBytes);
                assertThat(partitions).isEqualTo(wrotePartitions);
                assertThat(errors).isEqualTo(wroteErrors);
                for (int limit = 0; limit < frame.limit(); limit += 1 + random.nextInt(40)) {
                    assertThat(wrap(frame.duplicate().limit(limit), version)).isFalse();
                }
            }
        }
    }

    @Test
    void shouldIgnoreAPartialBatchAtTheEnd() {
        ByteBuffer log = KafkaFrames.log(KafkaFrames.batch(0, 1, 5), KafkaFrames.batch(5, 1, 7));
        log.limit(log.limit() - 3);
        FetchResponseData data = new FetchResponseData();
        data.responses()
                .add(new FetchableTopicResponse()
                        .setTopic("t")
                        .setPartitions(List.of(new PartitionData().setRecords(MemoryRecords.readableRecords(log)))));
        assertThat(wrap(KafkaFrames.response(ApiKeys.FETCH, (short) 11, 1, data), (short) 11))
                .isTrue();
        assertThat(records).isEqualTo(5);
        assertThat(bytes).isEqualTo(log.remaining());
    }

    @Test
    void shouldWriteAndWalkWithoutAllocation() {
        ByteBuffer out = ByteBuffer.allocateDirect(256);
        FetchPartitions named = new FetchPartitions();
        named.addTopic(1, 2);
        named.add(0);
        Runnable cycles = () -> {
            for (int i = 0; i < 1_000; i++) {
                out.clear();
                writer.begin(out, (short) 17, i, 0, Errors.NONE, 0, 1);
                writer.topic(named, 0, 1);
                writer.partition(0, Errors.NONE, 5, 5, 0, FetchResponseWriter.NO_LIST);
                writer.records(0);
                writer.endPartition();
                writer.endTopic();
                writer.end();
                out.flip();
                if (!wrap(out, (short) 17)) {
                    throw new AssertionError("not readable");
                }
            }
        };
        cycles.run();
        assertThat(Allocation.bytesOf(cycles)).isLessThan(1_000);
    }

    /** As in the proxy: fields in one buffer, records elsewhere, gathered at the end. */
    private byte[] write(FetchResponseData data, short version, int correlationId) {
        int partitions =
                data.responses().stream().mapToInt(t -> t.partitions().size()).sum();
        int nameBytes =
                data.responses().stream().mapToInt(t -> t.topic().length()).sum();
        int aborted = data.responses().stream()
                .flatMap(t -> t.partitions().stream())
                .mapToInt(p -> p.abortedTransactions() == null
                        ? 0
                        : p.abortedTransactions().size())
                .sum();
        ByteBuffer out = ByteBuffer.allocate(
                FetchResponseWriter.maxFieldBytes(data.responses().size(), partitions, nameBytes)
                        + aborted * FetchResponseWriter.ABORTED_TRANSACTION_BYTES);
        List<ByteBuffer> gather = new ArrayList<>();
        int mark = 0;
        writer.begin(
                out,
                version,
                correlationId,
                data.throttleTimeMs(),
                Errors.forCode(data.errorCode()),
                data.sessionId(),
                data.responses().size());
        for (FetchableTopicResponse topic : data.responses()) {
            int count = topic.partitions().size();
            FetchPartitions named = new FetchPartitions();
            ByteBuffer name = ByteBuffer.wrap(Utils.utf8(topic.topic()));
            named.clear(name);
            if (version >= 13) {
                named.addTopic(
                        topic.topicId().getMostSignificantBits(),
                        topic.topicId().getLeastSignificantBits());
            } else {
                named.addTopic(0, name.limit());
            }
            named.add(0);
            writer.topic(named, 0, count);
            for (PartitionData p : topic.partitions()) {
                MemoryRecords records = (MemoryRecords) p.records();
                writer.partition(
                        p.partitionIndex(),
                        Errors.forCode(p.errorCode()),
                        p.highWatermark(),
                        p.lastStableOffset(),
                        p.logStartOffset(),
                        p.abortedTransactions() == null
                                ? FetchResponseWriter.NO_LIST
                                : p.abortedTransactions().size());
                if (p.abortedTransactions() != null) {
                    p.abortedTransactions().forEach(t -> writer.abortedTransaction(t.producerId(), t.firstOffset()));
                }
                writer.records(records.sizeInBytes());
                gather.add(out.slice(mark, out.position() - mark));
                gather.add(records.buffer().duplicate());
                mark = out.position();
                writer.endPartition();
            }
            writer.endTopic();
        }
        writer.end();
        gather.add(out.slice(mark, out.position() - mark));
        ByteBuffer frame = ByteBuffer.allocate(
                gather.stream().mapToInt(ByteBuffer::remaining).sum());
        gather.forEach(frame::put);
        return frame.array();
    }

    private static FetchResponseData response(Random random, short version, boolean manyPartitions) {
        FetchResponseData data = new FetchResponseData().setThrottleTimeMs(random.nextInt(100));
        if (version >= 7) {
            data.setSessionId(random.nextInt())
                    .setErrorCode(random.nextInt(5) == 0 ? Errors.UNKNOWN_SERVER_ERROR.code() : 0);
        }
        for (int t = 0; t < random.nextInt(4); t++) {
            FetchableTopicResponse topic = new FetchableTopicResponse()
                    .setTopic("t".repeat(1 + random.nextInt(200)))
                    .setTopicId(new Uuid(random.nextLong(), t));
            for (int p = 0; p < random.nextInt(manyPartitions ? 200 : 3); p++) {
                topic.partitions()
                        .add(new PartitionData()
                                .setPartitionIndex(p)
                                .setErrorCode(random.nextInt(4) == 0 ? Errors.OFFSET_OUT_OF_RANGE.code() : 0)
                                .setHighWatermark(random.nextLong())
                                .setLastStableOffset(random.nextLong())
                                .setLogStartOffset(random.nextLong())
                                .setAbortedTransactions(random.nextBoolean() ? null : aborted(random))
                                .setRecords(random.nextInt(3) == 0 ? records(random) : MemoryRecords.EMPTY));
            }
            data.responses().add(topic);
        }
        return data;
    }

    private static List<AbortedTransaction> aborted(Random random) {
        List<AbortedTransaction> aborted = new ArrayList<>();
        for (int i = random.nextInt(4) == 0 ? random.nextInt(200) : 0; i > 0; i--) {
            aborted.add(
                    new AbortedTransaction().setProducerId(random.nextLong()).setFirstOffset(random.nextLong()));
        }
        return aborted;
    }

    private static MemoryRecords records(Random random) {
        return MemoryRecords.readableRecords(KafkaFrames.log(
                KafkaFrames.batch(3, 1, 1 + random.nextInt(9)), KafkaFrames.batch(100, 1, 1 + random.nextInt(9))));
    }
}
