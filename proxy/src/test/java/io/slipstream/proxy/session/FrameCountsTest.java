// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.slipstream.link.meter.FallbackReason;
import io.slipstream.proxy.buffer.PooledMemory;
import io.slipstream.proxy.count.PartitionActivity;
import io.slipstream.proxy.count.PartitionTable;
import java.nio.ByteBuffer;
import java.util.stream.IntStream;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;

/** What the session reads of a Produce request, and the counts of its partitions. */
class FrameCountsTest {
    private static final short VERSION = 9;

    private final PartitionTable table = new PartitionTable();
    private final FrameCounts counts = new FrameCounts(table);
    private final RequestSlot slot = new RequestSlot(null);

    private void take(int... recordsOfPartitions) {
        TopicProduceData topic = new TopicProduceData().setName("cars");
        for (int partition = 0; partition < recordsOfPartitions.length; partition++) {
            SimpleRecord[] records = IntStream.range(0, recordsOfPartitions[partition])
                    .mapToObj(i -> new SimpleRecord(1_700_000_000_000L, null, new byte[10]))
                    .toArray(SimpleRecord[]::new);
            topic.partitionData()
                    .add(new PartitionProduceData()
                            .setIndex(partition)
                            .setRecords(MemoryRecords.withRecords(Compression.NONE, records)));
        }
        ProduceRequestData body = new ProduceRequestData().setAcks((short) 1);
        body.topicData().add(topic);
        RequestHeaderData header = new RequestHeaderData()
                .setRequestApiKey(ApiKeys.PRODUCE.id)
                .setRequestApiVersion(VERSION)
                .setCorrelationId(77)
                .setClientId("client");
        ByteBuf wire = Unpooled.buffer()
                .writeInt(0)
                .writeBytes(MessageUtil.toByteBufferAccessor(header, (short) 2).buffer())
                .writeBytes(MessageUtil.toByteBufferAccessor(body, VERSION).buffer());
        take(wire.setInt(0, wire.readableBytes() - Integer.BYTES));
    }

    private void take(ByteBuf wire) {
        slot.wire = wire;
        ByteBuffer frame = PooledMemory.frame(wire);
        new RequestHeaders().read(frame, slot);
        counts.readProduce(frame, slot);
    }

    /** Records by TCP, then by RDMA. */
    private long[] recordsOf(int partition) {
        return new long[] {activity(partition).count(0), activity(partition).count(1)};
    }

    private PartitionActivity activity(int partition) {
        return table.all().stream()
                .filter(each -> each.partition == partition && each.topic.length > 0)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void shouldCountTheOnlyPartitionWithoutTheFrame() {
        take(3);
        assertThat(slot.produceForRing).isTrue();
        assertThat(slot.expectsResponse).isTrue();
        assertThat(slot.records).isEqualTo(3);
        assertThat(recordsOf(0)).containsExactly(0, 0);

        slot.releaseRequest();
        slot.answeredByRdma = true;
        counts.countProduce(slot);
        assertThat(recordsOf(0)).containsExactly(0, 3);
    }

    @Test
    void shouldCountEachPartitionByThePathThatIsKnownAtTheEnd() {
        take(3, 1, 2);
        assertThat(slot.produceForRing).isTrue();
        assertThat(slot.records).isEqualTo(6);
        slot.reason = FallbackReason.RING_FULL;
        counts.countProduce(slot);
        assertThat(recordsOf(0)).containsExactly(3, 0);
        assertThat(recordsOf(1)).containsExactly(1, 0);
        assertThat(recordsOf(2)).containsExactly(2, 0);
        assertThat(table.all()).anyMatch(each -> each.reason == FallbackReason.RING_FULL);
    }

    /** A slot is used again; nothing of its last request may count. */
    @Test
    void shouldTakeNothingOfARequestThatCannotBeRead() {
        take(3);
        ByteBuf wire = slot.wire;
        take(wire.writerIndex(wire.writerIndex() - 20));
        assertThat(slot.produceForRing).isFalse();
        assertThat(slot.records).isZero();
        counts.countProduce(slot);
        take(wire.writerIndex(12));
        assertThat(slot.bodyPosition).isEqualTo(-1);
        assertThat(slot.produceForRing).isFalse();
        assertThat(slot.expectsResponse).isTrue();
        counts.countProduce(slot);
        assertThat(recordsOf(0)).containsExactly(0, 0);
        assertThat(activity(0).count(2)).as("bytes").isZero();
    }
}
