// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.produce;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.protocol.Allocation;
import io.slipstream.protocol.KafkaFrames;
import io.slipstream.protocol.Seeds;
import io.slipstream.protocol.record.BatchSink;
import io.slipstream.protocol.wire.RequestHeaderView;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.Test;

class ProduceRequestViewTest {
    private final RequestHeaderView header = new RequestHeaderView();
    private static final BatchSink NONE = (topic, length, partition, records, bytes) -> {};
    private final ProduceRequestView view = new ProduceRequestView();

    /** By partition, what the view passed on: topic, number, records and bytes. */
    private final List<String> seen = new ArrayList<>();

    private boolean wrap(ByteBuffer frame) {
        assertThat(header.wrap(frame)).isTrue();
        seen.clear();
        return view.wrap(frame, header.bodyPosition, header.apiVersion, (start, length, partition, count, bytes) -> {
            boolean id = ProduceRequestView.hasTopicIds(header.apiVersion);
            byte[] topic = new byte[length];
            frame.get(start, topic);
            long number = id ? ByteBuffer.wrap(topic).getLong() : -1;
            String name = id ? "topic-" + number : new String(topic, StandardCharsets.UTF_8);
            seen.add(name + ' ' + partition + ' ' + count + ' ' + bytes);
        });
    }

    @Test
    void shouldReadEveryVersion() {
        Random random = Seeds.random("ProduceRequestViewTest");
        for (short version = 3; version <= ApiKeys.PRODUCE.latestVersion(); version++) {
            for (int round = 0; round < 50; round++) {
                ProduceRequestData data = new ProduceRequestData()
                        .setAcks((short) (random.nextInt(3) - 1))
                        .setTimeoutMs(random.nextInt())
                        .setTransactionalId(random.nextBoolean() ? null : "tx-" + random.nextInt());
                int topics = 1 + random.nextInt(4);
                long records = 0;
                List<String> expected = new ArrayList<>();
                for (int t = 0; t < topics; t++) {
                    TopicProduceData topic =
                            new TopicProduceData().setName("topic-" + t).setTopicId(new Uuid(t, t));
                    for (int p = 0; p <= random.nextInt(5); p++) {
                        int count = 1 + random.nextInt(20);
                        MemoryRecords batch = KafkaFrames.batch(0, -1, count);
                        topic.partitionData()
                                .add(new PartitionProduceData().setIndex(p).setRecords(batch));
                        records += count;
                        expected.add(topic.name() + ' ' + p + ' ' + count + ' ' + batch.sizeInBytes());
                    }
                    data.topicData().add(topic);
                }
                ByteBuffer frame = KafkaFrames.request(ApiKeys.PRODUCE, version, round, "client", data);

                assertThat(wrap(frame)).as("version %d", version).isTrue();
                assertThat(view.eligibility).isEqualTo(ProduceEligibility.ELIGIBLE);
                assertThat(view.recordCount).isEqualTo(records);
                assertThat(seen).isEqualTo(expected);
            }
        }
    }

    @Test
    void shouldSayWhyARequestIsNotEligible() {
        MemoryRecords one = KafkaFrames.batch(0, -1, 3);
        MemoryRecords old = MemoryRecords.withRecords(
                (byte) 1, Compression.NONE, new SimpleRecord("v".getBytes(StandardCharsets.UTF_8)));
        MemoryRecords cut = MemoryRecords.readableRecords(
                one.buffer().duplicate().limit(one.sizeInBytes() - 1).slice());
        MemoryRecords two = MemoryRecords.readableRecords(KafkaFrames.log(one, KafkaFrames.batch(3, -1, 1)));
        for (short version = 3; version <= 13; version++) {
            expect(version, ProduceEligibility.ELIGIBLE, one);
            expect(version, ProduceEligibility.NO_RECORDS, one, MemoryRecords.EMPTY);
            expect(version, ProduceEligibility.NO_RECORDS, (MemoryRecords) null);
            expect(version, ProduceEligibility.OLD_MAGIC, one, old);
            expect(version, ProduceEligibility.NOT_ONE_BATCH, two);
            expect(version, ProduceEligibility.NOT_ONE_BATCH, cut, one);
            expect(version, ProduceEligibility.NOT_ONE_BATCH, MemoryRecords.readableRecords(ByteBuffer.allocate(16)));
            expect(version, ProduceEligibility.EMPTY);
        }
        ByteBuffer frame = frame((short) 3, one);
        for (short version : new short[] {-1, 0, 1, 2, 14, Short.MAX_VALUE}) {
            assertThat(view.wrap(frame, 14, version, NONE)).isFalse();
            assertThat(view.eligibility).isEqualTo(ProduceEligibility.UNSUPPORTED_VERSION);
        }
        assertThat(view.wrap(frame, -1, (short) 9, NONE)).isFalse();
        assertThat(view.eligibility).isEqualTo(ProduceEligibility.MALFORMED);
    }

    private void expect(short version, ProduceEligibility expected, MemoryRecords... partitions) {
        wrap(frame(version, partitions));
        assertThat(view.eligibility).as("version %d", version).isEqualTo(expected);
    }

    private static ByteBuffer frame(short version, MemoryRecords... partitions) {
        TopicProduceData topic = new TopicProduceData().setName("t").setTopicId(new Uuid(1, 2));
        for (MemoryRecords records : partitions) {
            topic.partitionData().add(new PartitionProduceData().setIndex(1).setRecords(records));
        }
        ProduceRequestData data = new ProduceRequestData().setAcks((short) 1).setTimeoutMs(5);
        data.topicData().add(topic);
        return KafkaFrames.request(ApiKeys.PRODUCE, version, 1, "c", data);
    }

    @Test
    void shouldNeverThrowAndNeverCallATruncationEligible() {
        Random random = Seeds.random("shouldNeverThrowAndNeverCallATruncationEligible");
        for (short version = 3; version <= 13; version++) {
            ByteBuffer frame = frame(version, KafkaFrames.batch(0, -1, 2), KafkaFrames.batch(0, -1, 2));
            for (int limit = 8; limit < frame.limit(); limit++) {
                assertThat(wrap(frame.duplicate().limit(limit))).isFalse();
            }
            byte[] bytes = Utils.toArray(frame);
            for (int i = 0; i < 5_000; i++) {
                ByteBuffer mutant = ByteBuffer.wrap(bytes.clone());
                for (int n = random.nextInt(4); n >= 0; n--) {
                    mutant.put(8 + random.nextInt(bytes.length - 8), (byte) random.nextInt());
                }
                wrap(mutant);
                assertThat(view.recordCount).isNotNegative();
            }
        }
    }

    @Test
    void shouldNotAllocate() {
        ByteBuffer frame = frame((short) 12, KafkaFrames.batch(0, -1, 2), KafkaFrames.batch(0, -1, 2));
        Runnable walks = () -> {
            for (int i = 0; i < 1_000; i++) {
                header.wrap(frame);
                view.wrap(frame, header.bodyPosition, header.apiVersion, NONE);
            }
        };
        walks.run();
        assertThat(Allocation.bytesOf(walks)).isLessThan(1_000);
    }
}
