// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.management;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * In front of the HTTP decoder: closes a connection if a request is not complete in time after its first byte, even if
 * its bytes keep arriving slowly. Confined to the event loop.
 */
final class RequestDeadline extends ChannelInboundHandlerAdapter {
    static final long TIMEOUT_MS = 10_000;

    private ScheduledFuture<?> deadline;

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (deadline == null) {
            deadline = ctx.executor().schedule(() -> ctx.close(), TIMEOUT_MS, TimeUnit.MILLISECONDS);
        }
        ctx.fireChannelRead(message);
    }

    /** The request is complete. */
    void onRequest() {
        if (deadline != null) {
            deadline.cancel(false);
            deadline = null;
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        onRequest();
        ctx.fireChannelInactive();
    }
}
