// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.slipstream.link.meter.DisconnectCause;
import io.slipstream.proxy.buffer.OutboundBudget;

/**
 * Splits a byte stream into Kafka frames: a 4-byte big-endian size, then that many bytes. It passes on one
 * {@link ByteBuf} per frame, <em>with</em> its size prefix, so that it can be forwarded unchanged; its receiver owns
 * it. A frame that arrives in one piece is not copied. {@link #prepare} supplies the next read buffer, so that only the
 * first fragment of a split frame is copied. While frames have one size, no frame is split. A collecting buffer grows
 * with the received bytes, never with the announced size.
 *
 * <p>{@link #pause} stops decoding before the next frame. Later frames stay here undecoded; when they exceed
 * {@link #PAUSED_BYTES}, the socket is no longer read. Until then it is read, because only a read detects that the peer
 * has closed.
 *
 * <p>A broker's response above {@link OutboundBudget#SMALL_BYTES} that is not whole is collected in one buffer of its
 * size, or passed on while it arrives if it is above {@link #COLLECTED_BYTES}. Its size, or {@link #PASSING_BYTES}, are
 * first taken from the budget. Until then the socket is not read.
 *
 * <p>Confined to the event loop.
 */
public final class FrameDecoder extends ChannelInboundHandlerAdapter implements OutboundBudget.Waiter {
    public static final int SIZE_BYTES = 4;
    /** Room for a frame that is passed on: half for the client's channel, half for one more read of the socket. */
    static final int PASSING_BYTES = 2 * OutboundBudget.SMALL_BYTES;
    /** Up to this size, a client has the last byte sooner if the frame is collected. */
    static final int COLLECTED_BYTES = 2 << 20;

    static final int PAUSED_BYTES = 1 << 16;
    static final Object BUDGET_TAKEN = new Object();
    /** A collecting buffer at least doubles, but starts at most at this size. */
    private static final int FIRST_COLLECTING_BYTES = 1 << 20;
    /** Buffers are sized for frames like the last one if it was no larger. */
    private static final int FORESEEN_BYTES = 1 << 18;
    /** Extra space: a read that does not fill the buffer shows that the socket has no more data. */
    private static final int SLACK_BYTES = 64;
    /** A rest this small is moved to a larger buffer instead of completed by a read of its own. */
    private static final int CHEAP_BYTES = 4096;
    /** Record type "handshake" and major version of TLS: the peer uses TLS on a plaintext port. */
    private static final int TLS_HANDSHAKE = 0x1603;

    private final int maxFrameBytes;
    private final OutboundBudget budget;
    /** Passes on responses; null if none is passed on. */
    private final UpstreamConnection upstream;

    private ChannelHandlerContext context;
    /**
     * Whether the frame at the beginning of {@link #pending} waits for the budget. The socket must not be read
     * meanwhile. The end of the wait is followed by the user event {@link #BUDGET_TAKEN}.
     */
    boolean awaitsBudget;

    private int takenBytes;
    private ByteBuf pending;
    private int frameBytes;
    private int lastFrameBytes;
    /** Bytes of the frame that is passed on, from the beginning of {@link #pending} on; 0 if there is none. */
    private int passingBytes;

    private boolean paused;
    private boolean readingStopped;
    private boolean decoding;
    private boolean failed;

    /** @param budget of brokers' responses; null for requests of clients */
    public FrameDecoder(int maxFrameBytes, OutboundBudget budget) {
        this(maxFrameBytes, budget, null);
    }

    FrameDecoder(int maxFrameBytes, OutboundBudget budget, UpstreamConnection upstream) {
        this.maxFrameBytes = maxFrameBytes;
        this.budget = budget;
        this.upstream = upstream;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    public void pause() {
        paused = true;
    }

    /** Continues with the received bytes, then with the socket. */
    public void resume() {
        if (!paused) {
            return;
        }
        paused = false;
        decode();
        if (!paused && readingStopped) {
            readingStopped = false;
            // A closing channel reports that it is writable again before it reports that it is closed; its descriptor
            // is then already invalid.
            if (context.channel().isActive()) {
                context.channel().config().setAutoRead(true);
            }
        }
    }

    public boolean isPaused() {
        return paused;
    }

    /** Whether bytes of an incomplete or undecoded frame are here. */
    public boolean hasPending() {
        return pending != null;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        if (failed) {
            in.release();
            return;
        }
        if (in == pending) {
            // The bytes are in the buffer prepared for them; release the socket's reference.
            in.release();
        } else {
            pending = pending == null ? in : append(ctx.alloc(), in);
        }
        decode();
        if (paused && !readingStopped && pending != null && pending.readableBytes() > PAUSED_BYTES) {
            readingStopped = true;
            ctx.channel().config().setAutoRead(false);
        }
    }

    /**
     * The buffer for the next read of the socket, which the caller releases: after the received part of a frame, or an
     * empty one.
     *
     * @param usualBytes expected number of bytes
     */
    ByteBuf prepare(ByteBufAllocator allocator, int usualBytes) {
        if (pending == null) {
            return allocator.directBuffer(foreseen(usualBytes) + SLACK_BYTES);
        }
        int readable = pending.readableBytes();
        int rest = Math.max(SIZE_BYTES, frameBytes) - readable;
        int writable = pending.writableBytes();
        boolean ample = writable >= usualBytes;
        if (!ample && (rest <= 0 || writable < rest || readable <= CHEAP_BYTES)) {
            int bounded = Math.max(0, Math.min(rest, Math.max(readable, FIRST_COLLECTING_BYTES)));
            int following = bounded < usualBytes ? foreseen(usualBytes) : 0;
            pending = moved(pending, allocator.directBuffer(readable + bounded + following + SLACK_BYTES));
        }
        return pending.retain();
    }

    /** About the usual size, in whole frames like the last one. */
    private int foreseen(int usualBytes) {
        if (lastFrameBytes == 0 || lastFrameBytes > FORESEEN_BYTES) {
            return usualBytes;
        }
        return (usualBytes + lastFrameBytes - 1) / lastFrameBytes * lastFrameBytes;
    }

    private static ByteBuf moved(ByteBuf from, ByteBuf to) {
        to.writeBytes(from);
        from.release();
        return to;
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

    private void decode() {
        if (decoding) {
            return;
        }
        decoding = true;
        try {
            boolean more = true;
            while (more && !paused && !failed && !awaitsBudget && pending != null) {
                more = passingBytes > 0 ? pass() : deliver();
            }
        } catch (MalformedFrameException e) {
            failed = true;
            releasePending();
            context.fireExceptionCaught(e);
        } finally {
            decoding = false;
        }
    }

    /** False if more must be received first. */
    private boolean pass() {
        int passedBytes = upstream.pass(pending, passingBytes);
        passingBytes -= passedBytes;
        if (pending != null && !pending.isReadable()) {
            pending.release();
            pending = null;
        }
        if (passingBytes == 0) {
            giveBackTaken();
        }
        return passedBytes > 0;
    }

    /** As {@link #pass}, for whole frames. */
    private boolean deliver() {
        ByteBuf frame = next();
        if (frame == null) {
            return passingBytes > 0;
        }
        context.fireChannelRead(frame);
        giveBackTaken();
        return true;
    }

    /** The next whole frame, or null if it is incomplete. */
    private ByteBuf next() {
        int readable = pending.readableBytes();
        if (budget == null
                && lastFrameBytes == 0
                && readable >= 2
                && pending.getUnsignedShort(pending.readerIndex()) == TLS_HANDSHAKE) {
            throw new MalformedFrameException(
                    DisconnectCause.TLS,
                    "the client uses TLS, but this port is plaintext (security.protocol of the client)");
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
            takeFromBudget();
            return null;
        }
        lastFrameBytes = frameBytes;
        ByteBuf frame;
        if (readable == frameBytes) {
            frame = pending;
            pending = null;
        } else {
            frame = pending.readRetainedSlice(frameBytes);
            if (takenBytes > 0) {
                pending = moved(pending, pending.alloc().directBuffer(pending.readableBytes()));
            }
        }
        frameBytes = 0;
        return frame;
    }

    private void takeFromBudget() {
        if (budget == null
                || takenBytes > 0
                || frameBytes <= OutboundBudget.SMALL_BYTES
                || pending.readableBytes() < 2 * SIZE_BYTES) {
            return;
        }
        if (frameBytes > COLLECTED_BYTES && upstream != null && upstream.passes(pending)) {
            passingBytes = frameBytes;
            frameBytes = 0;
        }
        if (budget.takeOrAwait(this)) {
            onTakenBytes();
        } else {
            awaitsBudget = true;
            context.channel().config().setAutoRead(false);
        }
    }

    /** The rest of a frame that is collected, and what follows it in its last read, needs no further buffer. */
    private void onTakenBytes() {
        takenBytes = sizeBytes();
        if (passingBytes == 0) {
            pending = moved(pending, context.alloc().directBuffer(frameBytes + OutboundBudget.SMALL_BYTES));
        }
    }

    @Override
    public int sizeBytes() {
        return passingBytes > 0 ? PASSING_BYTES : frameBytes;
    }

    @Override
    public void onTaken() {
        if (!context.executor().isShuttingDown()) {
            context.executor().execute(this::onBudgetTaken);
        }
    }

    private void onBudgetTaken() {
        if (awaitsBudget) {
            awaitsBudget = false;
            try {
                onTakenBytes();
                context.fireUserEventTriggered(BUDGET_TAKEN);
                decode();
                context.fireChannelReadComplete();
            } catch (Throwable e) {
                context.fireExceptionCaught(e);
            }
        }
    }

    private ByteBuf append(ByteBufAllocator allocator, ByteBuf in) {
        try {
            int more = in.readableBytes();
            if (more > pending.writableBytes()) {
                int needed = pending.readableBytes() + more;
                int wanted = awaitsBudget ? 0 : Math.min(frameBytes, Math.max(2 * needed, FIRST_COLLECTING_BYTES));
                pending = moved(pending, allocator.directBuffer(Math.max(needed, wanted)));
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
        if (awaitsBudget) {
            awaitsBudget = false;
            takenBytes = budget.abandon(this) ? 0 : sizeBytes();
        }
        giveBackTaken();
    }

    private void giveBackTaken() {
        if (takenBytes > 0) {
            budget.giveBack(OutboundBudget.Kind.RECEIVED, takenBytes);
            takenBytes = 0;
        }
    }
}
