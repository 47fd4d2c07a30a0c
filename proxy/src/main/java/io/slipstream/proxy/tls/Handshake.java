// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.tls;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.nio.channels.ClosedChannelException;
import java.util.function.Consumer;

/**
 * Waits behind an {@link io.netty.handler.ssl.SslHandler} for the end of the handshake, then takes itself out of the
 * pipeline and tells the outcome, once. What is behind it is to be added only then, so that nothing of an unfinished
 * connection reaches it. The deadline is the SslHandler's.
 */
public final class Handshake extends ChannelInboundHandlerAdapter {
    private final Consumer<Throwable> onEnd;
    private boolean open;
    private boolean ended;

    /**
     * @param onEnd told null, with the connection open, or why it was closed; on the event loop, never if it was not
     *     opened
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

    /** A failed handshake comes as an event, too, and first; anything else is a failure of the socket. */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        end(ctx, cause);
    }

    private void end(ChannelHandlerContext ctx, Throwable failure) {
        if (ended || !open) {
            // A connection that could not even be opened is no matter of TLS; who wanted it hears of it.
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
