// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.broker;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.slipstream.broker.control.LinkService;
import io.slipstream.protocol.control.ControlCodec;
import io.slipstream.protocol.control.ControlEnvelope;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.MalformedControlMessageException;

/** The broker's end of a control connection: the plugin's codec and service, without the limits for hostile peers. */
final class ControlEnd extends SimpleChannelInboundHandler<ByteBuf> {
    private final LinkService service;

    ControlEnd(LinkService service) {
        this.service = service;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) throws MalformedControlMessageException {
        ControlEnvelope<ControlRequest> request = ControlCodec.decodeRequest(frame.nioBuffer());
        service.handle(this, request.message())
                .whenComplete((response, failure) -> context.executor()
                        .execute(() -> context.writeAndFlush(Unpooled.wrappedBuffer(
                                ControlCodec.encodeResponse(request.correlationId(), response)))));
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        service.connectionClosed(this);
    }
}
