// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.tls;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.nio.channels.ClosedChannelException;
import java.util.function.Consumer;

/**
 * Follows an {@link io.netty.handler.ssl.SslHandler} in the pipeline. At the end of the handshake it removes itself and
 * reports the outcome, once. Later handlers must be added only then, so that they receive no data of an unfinished
 * connection. The SslHandler enforces the deadline.
 */
public final class Handshake extends ChannelInboundHandlerAdapter {
    private final Consumer<Throwable> onEnd;
    private boolean open;
    private boolean ended;

    /**
     * @param onEnd receives null, with the connection open, or the cause of its end; on the event loop; never called if
     *     the connection was not opened
     */
    public Handshake(Consumer<Throwable> onEnd) {
        this.onEnd = onEnd;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        open = true;
        ctx.fireChannelActive();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof SslHandshakeCompletionEvent completion) {
            end(ctx, completion.cause());
        } else if (event instanceof ChannelInputShutdownEvent) {
            end(ctx, new ClosedChannelException());
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        end(ctx, new ClosedChannelException());
    }

    /** A failed handshake is also reported as an event, and first; other exceptions are failures of the socket. */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        end(ctx, cause);
    }

    private void end(ChannelHandlerContext ctx, Throwable failure) {
        if (ended || !open) {
            // A failed connect is no TLS failure; the caller of the connect handles it.
            return;
        }
        ended = true;
        if (failure == null) {
            ctx.pipeline().remove(this);
        } else {
            ctx.close();
        }
        onEnd.accept(failure);
    }
}
