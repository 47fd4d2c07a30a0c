// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.slipstream.link.meter.DisconnectCause;
import io.slipstream.link.meter.Meter;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.proxy.buffer.OutboundBudget;
import io.slipstream.proxy.buffer.PooledMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FrameDecoderTest {
    private static final int LIMIT = 1 << 20;

    private final FrameDecoder decoder = new FrameDecoder(LIMIT, null);
    private final EmbeddedChannel channel = new EmbeddedChannel(decoder);

    @AfterEach
    void close() {
        channel.releaseInbound();
        channel.close();
    }

    @Test
    void shouldCutTheStreamIntoTheSameFramesHoweverItArrives() {
        long seed = Long.getLong("slipstream.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int round = 0; round < 100; round++) {
            List<byte[]> sent = new ArrayList<>();
            ByteBuf stream = ByteBufAllocator.DEFAULT.directBuffer();
            for (int i = random.nextInt(20); i >= 0; i--) {
                byte[] body = new byte[random.nextInt(random.nextBoolean() ? 20 : 5_000)];
                random.nextBytes(body);
                sent.add(body);
                stream.writeInt(body.length).writeBytes(body);
            }
            while (stream.isReadable()) {
                int piece = 1 + random.nextInt(Math.min(stream.readableBytes(), 1 + random.nextInt(4_000)));
                channel.writeInbound(
                        ByteBufAllocator.DEFAULT.directBuffer(piece).writeBytes(stream, piece));
            }
            stream.release();
            for (byte[] body : sent) {
                assertFrame(channel.readInbound(), body, seed);
            }
            assertThat(channel.inboundMessages()).isEmpty();
            assertThat(decoder.hasPending()).isFalse();
        }
    }

    @Test
    void shouldNotReadFromASocketThatIsClosed() {
        decoder.pause();
        channel.writeInbound(
                ByteBufAllocator.DEFAULT.directBuffer().writeInt(100_000).writeZero(90_000));
        assertThat(channel.config().isAutoRead()).isFalse();

        channel.close();
        decoder.resume();

        assertThat(channel.config().isAutoRead()).isFalse();
    }

    @Test
    void shouldCutTheSameFramesOutOfTheBuffersThatItPrepares() {
        long seed = Long.getLong("slipstream.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int round = 0; round < 60; round++) {
            int usualBytes = 64 << random.nextInt(11);
            int largest = random.nextBoolean() ? 100 : 100_000;
            boolean sameSize = random.nextBoolean();
            int size = random.nextInt(largest);
            List<byte[]> sent = new ArrayList<>();
            ByteBuf stream = PooledMemory.ALLOCATOR.directBuffer();
            for (int i = random.nextInt(20); i >= 0; i--) {
                byte[] body = new byte[sameSize ? size : random.nextInt(largest)];
                random.nextBytes(body);
                sent.add(body);
                stream.writeInt(body.length).writeBytes(body);
            }
            boolean pausing = random.nextInt(4) == 0;
            while (stream.isReadable()) {
                if (pausing && random.nextInt(3) == 0) {
                    decoder.pause();
                } else {
                    decoder.resume();
                }
                int given = 1 + random.nextInt(random.nextBoolean() ? usualBytes : 4 * usualBytes);
                receive(stream, given, usualBytes);
            }
            decoder.resume();
            stream.release();
            for (byte[] body : sent) {
                assertFrame(channel.readInbound(), body, seed);
            }
            assertThat(channel.inboundMessages()).isEmpty();
            assertThat(decoder.hasPending()).isFalse();
        }
    }

    /** A socket read with that many bytes available: fills the buffer if there are more, or fails and returns it. */
    private ByteBuf receive(ByteBuf stream, int given, int usualBytes) {
        decoder.prepare(PooledMemory.ALLOCATOR, usualBytes).release();
        ByteBuf into = decoder.prepare(PooledMemory.ALLOCATOR, usualBytes);
        assertThat(into.writableBytes()).isPositive();
        into.writeBytes(stream, Math.min(Math.min(given, into.writableBytes()), stream.readableBytes()));
        channel.writeInbound(into);
        return into;
    }

    @Test
    void shouldHaveTheRestOfAFrameReadBehindItsBeginning() {
        int usualBytes = 65_536;
        ByteBuf stream = PooledMemory.ALLOCATOR.directBuffer();
        stream.writeInt(500_000).writeZero(500_000);

        receive(stream, usualBytes, usualBytes);
        long address = 0;
        while (stream.isReadable()) {
            ByteBuf into = receive(stream, usualBytes, usualBytes);
            assertThat(address == 0 || address == into.memoryAddress())
                    .as("moved once only")
                    .isTrue();
            address = into.memoryAddress();
        }
        stream.release();

        ByteBuf frame = channel.readInbound();
        assertThat(frame.memoryAddress()).isEqualTo(address);
        assertThat(frame.readableBytes()).isEqualTo(500_004);
        frame.release();
    }

    @Test
    void shouldNotMoveFramesOfOneSize() {
        int usualBytes = 65_536;
        ByteBuf stream = PooledMemory.ALLOCATOR.directBuffer();
        for (int i = 0; i < 100; i++) {
            stream.writeInt(16_500).writeZero(16_500);
        }
        receive(stream, 16_504, usualBytes);
        channel.<ByteBuf>readInbound().release();
        int moved = 0;
        while (stream.isReadable()) {
            ByteBuf into = receive(stream, Integer.MAX_VALUE, usualBytes);
            moved += decoder.hasPending() ? into.writerIndex() % 16_504 : 0;
            for (ByteBuf frame = channel.readInbound(); frame != null; frame = channel.readInbound()) {
                frame.release();
            }
        }
        stream.release();
        assertThat(moved).as("bytes of frames cut in two").isLessThan(100 * 64);
    }

    @Test
    void shouldNotMakeRoomForWhatIsOnlyAnnounced() {
        ByteBuf stream = PooledMemory.ALLOCATOR.directBuffer();
        FrameDecoder large = new FrameDecoder(Integer.MAX_VALUE, null);
        EmbeddedChannel greedy = new EmbeddedChannel(large);
        greedy.writeInbound(stream.writeInt(1 << 30));

        ByteBuf into = large.prepare(PooledMemory.ALLOCATOR, 2048);

        assertThat(into.capacity()).isLessThan((1 << 20) + 8192);
        into.release();
        greedy.close();
    }

    /** Bytes that were decrypted together arrive although the socket is no longer read. */
    @Test
    void shouldDeliverAResponseThatBecameWholeWhileItWaitedForTheBudget() {
        MeterRegistry registry = new MeterRegistry(Meter.values());
        OutboundBudget full = new OutboundBudget(100_000, registry);
        full.add(OutboundBudget.Kind.UNSENT, 100_000);
        EmbeddedChannel waiting = new EmbeddedChannel(new FrameDecoder(LIMIT, full));
        waiting.writeInbound(
                PooledMemory.ALLOCATOR.directBuffer().writeInt(70_000).writeZero(40_000));
        waiting.writeInbound(PooledMemory.ALLOCATOR.directBuffer().writeZero(30_000));
        assertThat(waiting.<ByteBuf>readInbound()).isNull();
        assertThat(registry.value(Meter.OUTBOUND_WAITS)).isEqualTo(1);

        full.giveBack(OutboundBudget.Kind.UNSENT, 100_000);
        waiting.runPendingTasks();

        ByteBuf frame = waiting.readInbound();
        assertThat(frame.readableBytes()).isEqualTo(70_004);
        frame.release();
        assertThat(registry.value(Meter.OUTBOUND_WAITS)).isZero();
        assertThat(registry.value(Meter.OUTBOUND_BYTES, "received")).isZero();
        waiting.close();
    }

    private static void assertFrame(ByteBuf frame, byte[] body, long seed) {
        assertThat(frame).as("seed %d", seed).isNotNull();
        assertThat(frame.readInt()).as("seed %d", seed).isEqualTo(body.length);
        byte[] got = new byte[frame.readableBytes()];
        frame.readBytes(got);
        assertThat(got).as("seed %d", seed).isEqualTo(body);
        frame.release();
    }

    @Test
    void shouldRefuseNegativeAndOversizedFramesBeforeCollectingThem() {
        for (int size : new int[] {-1, Integer.MIN_VALUE, LIMIT + 1, Integer.MAX_VALUE}) {
            FrameDecoder fresh = new FrameDecoder(LIMIT, null);
            EmbeddedChannel refused = new EmbeddedChannel(fresh);
            assertThatThrownBy(() -> refused.writeInbound(header(size)))
                    .isInstanceOfSatisfying(
                            MalformedFrameException.class,
                            e -> assertThat(e.disconnectCause).isEqualTo(DisconnectCause.FRAME_SIZE))
                    .hasMessageContaining(Integer.toString(size));
            assertThat(fresh.hasPending()).isFalse();
            refused.close();
        }
    }

    @Test
    void shouldTellTlsFromItsFirstTwoBytes() {
        ByteBuf hello = channel.alloc().directBuffer().writeByte(0x16).writeByte(0x03);
        assertThatThrownBy(() -> channel.writeInbound(hello))
                .isInstanceOfSatisfying(
                        MalformedFrameException.class,
                        e -> assertThat(e.disconnectCause).isEqualTo(DisconnectCause.TLS))
                .hasMessageContaining("TLS");
    }

    @Test
    void shouldIgnoreWhatFollowsAMalformedFrame() {
        assertThatThrownBy(() -> channel.writeInbound(header(-5))).isInstanceOf(MalformedFrameException.class);
        channel.writeInbound(header(0));
        assertThat(channel.inboundMessages()).isEmpty();
    }

    @Test
    void shouldHoldFramesBackWhilePausedAndStopReadingOnlyWhenTheyPileUp() {
        decoder.pause();
        channel.writeInbound(frame(10));
        assertThat(channel.inboundMessages()).isEmpty();
        assertThat(channel.config().isAutoRead())
                .as("a client that goes must still be noticed")
                .isTrue();

        channel.writeInbound(frame(FrameDecoder.PAUSED_BYTES));
        assertThat(channel.config().isAutoRead()).isFalse();

        decoder.resume();
        assertThat(channel.config().isAutoRead()).isTrue();
        assertThat(channel.inboundMessages()).hasSize(2);
    }

    @Test
    void shouldStopBehindTheFrameThatPauses() {
        EmbeddedChannel pausing = new EmbeddedChannel();
        FrameDecoder paused = new FrameDecoder(LIMIT, null);
        List<Integer> seen = new ArrayList<>();
        pausing.pipeline().addLast(paused).addLast(new io.netty.channel.ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(io.netty.channel.ChannelHandlerContext ctx, Object message) {
                seen.add(((ByteBuf) message).readableBytes());
                ((ByteBuf) message).release();
                paused.pause();
            }
        });
        ByteBuf three = pausing.alloc().directBuffer();
        three.writeInt(1).writeZero(1).writeInt(2).writeZero(2).writeInt(3).writeZero(3);
        pausing.writeInbound(three);
        assertThat(seen).containsExactly(5);
        paused.resume();
        assertThat(seen).containsExactly(5, 6);
        paused.resume();
        assertThat(seen).containsExactly(5, 6, 7);
        pausing.close();
    }

    private ByteBuf header(int size) {
        return channel.alloc().directBuffer().writeInt(size);
    }

    private ByteBuf frame(int size) {
        return channel.alloc().directBuffer().writeInt(size).writeZero(size);
    }
}
