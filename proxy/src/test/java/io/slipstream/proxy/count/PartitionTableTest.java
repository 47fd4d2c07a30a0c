// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.count;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.link.meter.FallbackReason;
import io.slipstream.proxy.live.LivePage;
import io.slipstream.proxy.live.LiveReport;
import io.slipstream.proxy.live.TopicNames;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.MessageUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PartitionTableTest {
    private static final Uuid ID = new Uuid(0x1122334455667788L, 0x99aabbccddeeff00L);

    private final PartitionTable table = new PartitionTable();

    private PartitionActivity named(String topic, int partition) {
        byte[] name = topic.getBytes(StandardCharsets.UTF_8);
        // Not at the frame's beginning, as in a request.
        ByteBuffer frame = ByteBuffer.allocateDirect(name.length + 10).put(3, name);
        return table.of(frame, 3, name.length, false, partition);
    }

    @Test
    void shouldFindEachPartitionAgain() {
        PartitionActivity first = named("cars", 0);
        assertThat(named("cars", 0)).isSameAs(first);
        assertThat(named("cars", 1)).isNotSameAs(first);
        assertThat(named("carz", 0)).isNotSameAs(first);
        assertThat(named("", 0)).isNotSameAs(first);
        assertThat(table.of(0, 0, "cars".getBytes(StandardCharsets.UTF_8), 0)).isSameAs(first);
        PartitionActivity byId = table.of(ID.getMostSignificantBits(), ID.getLeastSignificantBits(), new byte[0], 0);
        ByteBuffer frame = ByteBuffer.allocate(20)
                .putLong(4, ID.getMostSignificantBits())
                .putLong(12, ID.getLeastSignificantBits());
        assertThat(table.of(frame, 4, 16, true, 0)).isSameAs(byId);
    }

    @Test
    void shouldCountWhatItHasNoRoomForAsOne() {
        for (int i = 0; i < PartitionTable.MOST; i++) {
            named("topic-" + i, i).produced(1, 10, false, null);
        }
        PartitionActivity others = named("one more", 0);
        assertThat(named("two more", 7)).isSameAs(others);
        assertThat(named("topic-3", 3)).as("those that have room keep it").isNotSameAs(others);
        others.fetched(5, 50, true, null);
        List<LivePage.Partition> page = LiveReport.partitions(List.of(table), new TopicNames());
        assertThat(page).hasSize(LiveReport.MOST_PARTITIONS);
        assertThat(page.get(0).name()).isEqualTo(LiveReport.OTHERS);
        assertThat(page.get(0).fetchedBytesRdma()).isEqualTo(50);
        assertThat(named("n".repeat(300), 0)).as("no topic of Kafka's").isSameAs(others);
    }

    @ParameterizedTest
    @ValueSource(shorts = {10, 12, 13})
    void shouldShowLoopsAsOneAndIdsByName(short version) {
        PartitionTable other = new PartitionTable();
        table.of(ID.getMostSignificantBits(), ID.getLeastSignificantBits(), new byte[0], 2)
                .produced(3, 30, true, null);
        other.of(0, 0, "cars".getBytes(StandardCharsets.UTF_8), 2).fetched(4, 40, false, FallbackReason.QUOTA);
        TopicNames names = new TopicNames();
        assertThat(LiveReport.partitions(List.of(table), names).get(0).name()).isEqualTo(ID + "-2");

        names.learn(metadata(version), version);

        List<LivePage.Partition> page = LiveReport.partitions(List.of(table, other), names);
        assertThat(page).containsExactly(new LivePage.Partition("cars-2", 0, 3, 0, 30, 4, 0, 40, 0, "quota"));
    }

    @Test
    void shouldLearnNothingFromWhatItCannotRead() {
        ByteBuffer whole = metadata((short) 12);
        for (int cut = 0; cut < whole.limit(); cut++) {
            new TopicNames().learn(whole.duplicate().limit(cut), (short) 12);
        }
        new TopicNames().learn(whole, (short) 9);
        new TopicNames().learn(whole, (short) 99);
    }

    private static ByteBuffer metadata(short version) {
        MetadataResponseData data = new MetadataResponseData();
        data.brokers()
                .add(new MetadataResponseBroker().setNodeId(1).setHost("host").setPort(9092));
        data.setClusterId("cluster");
        data.topics()
                .add(new MetadataResponseTopic()
                        .setName("trucks")
                        .setTopicId(Uuid.ONE_UUID)
                        .setPartitions(List.of(new MetadataResponsePartition()
                                .setReplicaNodes(List.of(1, 2))
                                .setIsrNodes(List.of(1)))));
        data.topics().add(new MetadataResponseTopic().setName("cars").setTopicId(ID));
        ByteBuffer header = MessageUtil.toByteBufferAccessor(
                        new ResponseHeaderData().setCorrelationId(7), ApiKeys.METADATA.responseHeaderVersion(version))
                .buffer();
        ByteBuffer body = MessageUtil.toByteBufferAccessor(data, version).buffer();
        return ByteBuffer.allocate(header.remaining() + body.remaining())
                .put(header)
                .put(body)
                .flip();
    }
}
