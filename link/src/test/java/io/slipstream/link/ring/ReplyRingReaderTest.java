// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.ring;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.collection.IntObjectHashMap;
import io.slipstream.link.memory.AnyMemory;
import io.slipstream.link.memory.LinkMemory;
import io.slipstream.link.memory.PlainRegion;
import io.slipstream.link.meter.Meter;
import io.slipstream.link.work.OperationMeters;
import io.slipstream.link.work.ScriptedQueuePair;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.protocol.ring.RingFrame;
import io.slipstream.rdma.PostStatus;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ReplyRingReaderTest {
    private static final int RING_BYTES = 1024;

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final ScriptedQueuePair queuePair = new ScriptedQueuePair(16);
    private final RemoteMemory plugin = new RemoteMemory(0, RING_BYTES, 1);
    private final LinkMemory memory = new LinkMemory(
            new PlainRegion(RING_BYTES), new PlainRegion(LinkMemory.WORDS_BYTES), null, new AnyMemory(allocator, 1));
    private final RequestRingWriter requests = new RequestRingWriter(
            new EmbeddedChannel().eventLoop(),
            queuePair.port(),
            plugin,
            memory,
            3,
            8,
            RING_BYTES,
            TimeUnit.HOURS.toNanos(1),
            new OperationMeters(new MeterRegistry(Meter.values())),
            reason -> {});
    private final ReplyRingReader replies =
            new ReplyRingReader(memory, allocator, requests, new IntObjectHashMap<>(), queuePair.port(), plugin);

    @Test
    void shouldPublishTheConsumedPositionAgainIfItsWriteWasRefused() {
        ByteBuffer ring = memory.replies().buffer();
        ring.putInt(RingFrame.MAGIC_OFFSET, RingFrame.MAGIC)
                .putInt(RingFrame.FLAGS_OFFSET, RingFrame.FLAG_THROTTLE_START)
                .putInt(RingFrame.LENGTH_OFFSET, 0)
                .putLong(RingFrame.RELEASED_OFFSET, 0);
        assertThat(replies.accept(RingFrame.immOf(0), RingFrame.HEADER_BYTES)).isNull();

        queuePair.status = PostStatus.QUEUE_FULL;
        replies.publishIfDue();
        assertThat(queuePair.posted).isEmpty();

        queuePair.status = PostStatus.POSTED;
        replies.publishIfDue();
        replies.publishIfDue();
        assertThat(queuePair.posted).hasSize(1);
    }
}
