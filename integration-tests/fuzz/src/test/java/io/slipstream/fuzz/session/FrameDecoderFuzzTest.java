// SPDX-License-Identifier: Apache-2.0
package io.slipstream.fuzz.session;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.slipstream.link.meter.DisconnectCause;
import io.slipstream.link.meter.Meter;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.proxy.buffer.OutboundBudget;
import io.slipstream.proxy.session.FrameDecoder;
import io.slipstream.proxy.session.MalformedFrameException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * Compares the frame decoder with a simple reading of the same stream, for any split into pieces and any pauses.
 *
 * <pre>
 *   0 flags u8 (1: responses, 2: pausing) │ 1 pieces u8: largest piece of the arriving stream │ 2 stream
 * </pre>
 */
class FrameDecoderFuzzTest {
    private static final int FIRST_BYTE = 2;
    private static final int MAX_FRAME_BYTES = 4 << 20;
    private static final int FIRST_COLLECTING_BYTES = 1 << 20;
    private static final OutboundBudget BUDGET =
            new OutboundBudget(Long.MAX_VALUE / 2, new MeterRegistry(Meter.values()));

    private final MeteredAllocator allocator = new MeteredAllocator();
    private final Receiver receiver = new Receiver();
    private final EmbeddedChannel channel = new EmbeddedChannel(receiver);

    FrameDecoderFuzzTest() {
        channel.config().setAllocator(allocator);
    }

    @FuzzTest
    void shouldCutTheStreamAsItsSizesSay(byte[] input) {
        if (input.length < FIRST_BYTE) {
            return;
        }
        boolean requests = (input[0] & 1) == 0;
        FrameDecoder decoder =
                requests ? new FrameDecoder(MAX_FRAME_BYTES, null) : new FrameDecoder(MAX_FRAME_BYTES, BUDGET);
        receiver.start((input[0] & 2) != 0 ? decoder : null);
        allocator.largestBytes = 0;
        channel.pipeline().addFirst("decoder", decoder);
        int most = 1 + (input[1] & 0xff);
        for (int at = FIRST_BYTE, piece = 0; at < input.length; at += piece) {
            piece = Math.min(input.length - at, most == 256 ? input.length : 1 + (at * 31 + most) % most);
            channel.pipeline()
                    .fireChannelRead(allocator.directBuffer(piece, 2 * piece).writeBytes(input, at, piece));
            decoder.resume();
        }
        while (decoder.isPaused()) {
            decoder.resume();
        }
        ByteBuffer rest = check(input, requests);
        check(decoder, rest, requests);
        channel.pipeline().remove("decoder");
        allocator.requireAllReleased();
    }

    /**
     * Reads the stream in a simple way and compares the result with the received frames. Returns the incomplete rest,
     * or null if the stream was refused.
     */
    private ByteBuffer check(byte[] input, boolean requests) {
        ByteBuffer stream = ByteBuffer.wrap(input, FIRST_BYTE, input.length - FIRST_BYTE);
        boolean tls = requests && stream.remaining() >= 2 && stream.getShort(stream.position()) == 0x1603;
        if (tls) {
            receiver.requireRefusal(DisconnectCause.TLS);
            return null;
        }
        while (stream.remaining() >= Integer.BYTES) {
            int size = stream.getInt(stream.position());
            if (size < 0 || size > MAX_FRAME_BYTES) {
                receiver.requireRefusal(DisconnectCause.FRAME_SIZE);
                return null;
            }
            if (stream.remaining() < Integer.BYTES + size) {
                break;
            }
            receiver.requireFrame(stream.slice(stream.position(), Integer.BYTES + size));
            stream.position(stream.position() + Integer.BYTES + size);
        }
        receiver.requireNothing();
        return stream;
    }

    private void check(FrameDecoder decoder, ByteBuffer rest, boolean requests) {
        require(decoder.hasPending() == (rest != null && rest.hasRemaining()), "pending bytes");
        // The announced frame size bounds the buffer. Until a request is whole, so do the bytes received.
        require(allocator.largestBytes <= 4L * MAX_FRAME_BYTES, "a buffer of " + allocator.largestBytes + " bytes");
        if (requests
                && rest != null
                && rest.remaining() >= Integer.BYTES
                && allocator.largestBytes > FIRST_COLLECTING_BYTES) {
            throw new AssertionError("a buffer of " + allocator.largestBytes + " bytes for a stream of a few hundred");
        }
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }

    /** Collects frames and refusals. Pauses the decoder, if it has one, after each frame. */
    private static final class Receiver extends ChannelInboundHandlerAdapter {
        private final ArrayDeque<ByteBuf> frames = new ArrayDeque<>();
        private FrameDecoder pausing;
        private Throwable refusal;

        void start(FrameDecoder toPause) {
            pausing = toPause;
            refusal = null;
            require(frames.isEmpty(), "unexpected frames remain");
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            require(pausing == null || !pausing.isPaused(), "a frame while paused");
            frames.add((ByteBuf) message);
            if (pausing != null) {
                pausing.pause();
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            require(refusal == null, "refused twice: " + cause);
            refusal = cause;
        }

        void requireFrame(ByteBuffer expected) {
            ByteBuf frame = frames.poll();
            require(frame != null, "a frame of " + expected.remaining() + " bytes is missing");
            boolean same = frame.nioBuffer().equals(expected);
            frame.release();
            require(same, "a different frame than the " + expected.remaining() + " bytes sent");
        }

        void requireRefusal(DisconnectCause cause) {
            require(frames.isEmpty(), "a frame after the refused one");
            if (!(refusal instanceof MalformedFrameException malformed) || malformed.disconnectCause != cause) {
                throw new AssertionError("not refused for " + cause + " but " + refusal);
            }
        }

        void requireNothing() {
            require(frames.isEmpty(), "an unexpected frame");
            require(refusal == null, "refused: " + refusal);
        }
    }
}
