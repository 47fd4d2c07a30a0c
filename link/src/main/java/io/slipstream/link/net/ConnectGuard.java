// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.net;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import java.net.ConnectException;
import java.net.SocketAddress;
import java.nio.channels.NotYetConnectedException;

/**
 * Guards a connect. First in the pipeline; one instance per channel.
 *
 * <p>It refuses connections of a socket to itself. A process that keeps connecting to a closed port of its own host may
 * be assigned that port as its source port; TCP simultaneous open then connects the socket to itself. A proxy whose
 * broker is down would receive its requests as responses, and the broker could not start because its port is taken.
 *
 * <p>It ignores events of an earlier socket, whose descriptor the new one may get. Netty passes them on (its issue
 * 10411). A read then fails with {@link NotYetConnectedException}, and the channel can still connect.
 */
public final class ConnectGuard extends ChannelDuplexHandler {
    public static final String NAME = "connect";

    private static boolean isSelfConnected(ChannelHandlerContext ctx) {
        SocketAddress local = ctx.channel().localAddress();
        return local != null && local.equals(ctx.channel().remoteAddress());
    }

    @Override
    public void connect(ChannelHandlerContext ctx, SocketAddress remote, SocketAddress local, ChannelPromise promise) {
        ctx.connect(remote, local).addListener(connected -> {
            if (!connected.isSuccess()) {
                promise.tryFailure(connected.cause());
            } else if (isSelfConnected(ctx)) {
                // A reset frees the port at once; an orderly close would keep it for minutes.
                ctx.channel().config().setOption(ChannelOption.SO_LINGER, 0);
                ctx.close();
                promise.tryFailure(new ConnectException("Connection refused: " + remote));
            } else {
                promise.trySuccess();
            }
        });
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        if (!isSelfConnected(ctx)) {
            ctx.fireChannelActive();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (ctx.channel().isActive() || !(cause instanceof NotYetConnectedException)) {
            ctx.fireExceptionCaught(cause);
        }
    }
}
