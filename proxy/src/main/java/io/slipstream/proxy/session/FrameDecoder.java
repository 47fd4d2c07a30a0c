package io.slipstream.proxy.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * Cuts a byte stream into Kafka frames: a 4-byte big-endian size, then that many bytes. Passes on one {@link ByteBuf} for each frame,
 * <em>with</em> its size prefix, so that it can be forwarded as it is; its receiver owns it. Nothing is copied while a frame arrives in one
 * piece; what has to be collected is collected in a buffer that grows with the bytes that really came, never with the size announced.
 *
 * <p>{@link #pause} stops the flow in front of the next frame: the frames behind it stay here undecoded, and when they exceed
 * {@link #PAUSED_BYTES} the socket is no longer read. Until then it is, because only a socket that is read tells that its peer has gone.
 *
 * <p>Confined to the event loop.
 */
final class FrameDecoder extends ChannelInboundHandlerAdapter {
    static final int SIZE_BYTES = 4;
    static final int PAUSED_BYTES = 1 << 16;
    /** A collecting buffer at least doubles, but starts no larger than this for a frame that announces more. */
    private static final int FIRST_COLLECTING_BYTES = 1 << 20;
    /** Record type "handshake" and major version of TLS: somebody speaks TLS to a plaintext port. */
    private static final int TLS_HANDSHAKE = 0x1603;

    private final int maxFrameBytes;
    private final boolean detectTls;

    private ByteBuf pending;
    private int frameBytes;
    private boolean anyFrame;
    private boolean paused;
    private boolean readingStopped;
    private boolean decoding;
    private boolean failed;

    private FrameDecoder(int maxFrameBytes, boolean detectTls) {
        this.maxFrameBytes = maxFrameBytes;
        this.detectTls = detectTls;
    }

    /** For what clients send. */
    static FrameDecoder ofRequests(int maxFrameBytes) {
        return new FrameDecoder(maxFrameBytes, true);
    }

    /** For what brokers send. */
    static FrameDecoder ofResponses(int maxFrameBytes) {
        return new FrameDecoder(maxFrameBytes, false);
    }

    void pause() {
        paused = true;
    }

    /** Goes on with what is here, then with the socket. */
    void resume(ChannelHandlerContext ctx) {
        if (!paused) {
            return;
        }
        paused = false;
        decode(ctx);
        if (!paused && readingStopped) {
            readingStopped = false;
            ctx.channel().config().setAutoRead(true);
        }
    }

    boolean isPaused() {
        return paused;
    }

    /** Whether bytes of a frame have come that was not passed on yet. */
    boolean hasPending() {
        return pending != null;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        if (failed) {
            in.release();
            return;
        }
        pending = pending == null ? in : append(ctx.alloc(), in);
        decode(ctx);
        if (paused && !readingStopped && pending != null && pending.readableBytes() > PAUSED_BYTES) {
            readingStopped = true;
            ctx.channel().config().setAutoRead(false);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        releasePending();
        ctx.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        releasePending();
    }

    private void decode(ChannelHandlerContext ctx) {
        if (decoding) {
            return;
        }
        decoding = true;
        try {
            while (!paused && !failed && pending != null) {
                ByteBuf frame = next();
                if (frame == null) {
                    return;
                }
                ctx.fireChannelRead(frame);
            }
        } catch (MalformedFrameException e) {
            failed = true;
            releasePending();
            ctx.fireExceptionCaught(e);
        } finally {
            decoding = false;
        }
    }

    /** The next whole frame, or null if it is not there yet. */
    private ByteBuf next() {
        int readable = pending.readableBytes();
        if (detectTls
                && !anyFrame
                && readable >= 2
                && pending.getUnsignedShort(pending.readerIndex()) == TLS_HANDSHAKE) {
            throw new MalformedFrameException(
                    DisconnectCause.TLS,
                    "the client speaks TLS, this port is plaintext (security.protocol of the client)");
        }
        if (readable < SIZE_BYTES) {
            return null;
        }
        int size = pending.getInt(pending.readerIndex());
        if (size < 0 || size > maxFrameBytes) {
            throw new MalformedFrameException(
                    DisconnectCause.FRAME_SIZE, "a frame of " + size + " bytes; 0 to " + maxFrameBytes + " are legal");
        }
        frameBytes = SIZE_BYTES + size;
        if (readable < frameBytes) {
            return null;
        }
        anyFrame = true;
        ByteBuf frame;
        if (readable == frameBytes) {
            frame = pending;
            pending = null;
        } else {
            frame = pending.readRetainedSlice(frameBytes);
        }
        frameBytes = 0;
        return frame;
    }

    private ByteBuf append(ByteBufAllocator allocator, ByteBuf in) {
        try {
            int more = in.readableBytes();
            if (more > pending.writableBytes()) {
                int needed = pending.readableBytes() + more;
                int wanted = Math.min(frameBytes, Math.max(2 * needed, FIRST_COLLECTING_BYTES));
                ByteBuf larger = allocator.directBuffer(Math.max(needed, wanted));
                larger.writeBytes(pending);
                pending.release();
                pending = larger;
            }
            return pending.writeBytes(in);
        } finally {
            in.release();
        }
    }

    private void releasePending() {
        if (pending != null) {
            pending.release();
            pending = null;
        }
    }
}
