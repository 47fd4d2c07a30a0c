// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.topology;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.LengthFieldPrepender;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.slipstream.link.net.ConnectGuard;
import io.slipstream.link.net.TlsFailure;
import io.slipstream.protocol.wire.FrameGuard;
import io.slipstream.proxy.tls.Encryption;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.RequestUtils;

/**
 * A connection for one request and its answer, closed afterwards. The request is Metadata without topics. For a
 * listener that requires SASL it is ApiVersions, which needs no authentication: the answer lists no brokers but proves
 * that this one serves.
 */
final class MetadataProbe extends ChannelInitializer<Channel> {
    /** Version of Metadata; supported since Kafka 1.0, not flexible. */
    private static final short VERSION = 5;

    /** Version of ApiVersions. */
    private static final short SASL_VERSION = 0;

    private static final short RESPONSE_HEADER_VERSION = ApiKeys.METADATA.responseHeaderVersion(VERSION);
    private static final int SIZE_BYTES = 4;
    private static final int MAX_RESPONSE_BYTES = 16 << 20;

    /** The answer; without id and endpoints from a SASL listener. */
    record Brokers(String clusterId, List<BrokerEndpoint> endpoints) {}

    /**
     * Fails if the connection ends or the deadline passes without an answer; never completes if it could not be opened.
     */
    final CompletableFuture<Brokers> answer = new CompletableFuture<>();

    private final int timeoutMs;
    private final boolean sasl;
    /** Null without TLS to brokers. */
    private final SslHandler tls;

    volatile boolean connected;

    /**
     * @param sasl whether the listener answers only ApiVersions before SASL
     * @param tls handler for this connection, or null
     */
    MetadataProbe(int timeoutMs, boolean sasl, SslHandler tls) {
        this.timeoutMs = timeoutMs;
        this.sasl = sasl;
        this.tls = tls;
    }

    @Override
    protected void initChannel(Channel channel) {
        channel.pipeline().addLast(ConnectGuard.NAME, new ConnectGuard());
        if (tls != null) {
            channel.pipeline().addLast(Encryption.HANDLER, tls);
        }
        channel.pipeline()
                .addLast(new LengthFieldBasedFrameDecoder(MAX_RESPONSE_BYTES, 0, SIZE_BYTES, 0, SIZE_BYTES))
                .addLast(new LengthFieldPrepender(SIZE_BYTES))
                .addLast(new Exchange());
    }

    private final class Exchange extends SimpleChannelInboundHandler<ByteBuf> {
        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            connected = true;
            // With TLS it is sent after the handshake.
            ctx.writeAndFlush(request());
            var deadline = ctx.executor()
                    .schedule(() -> end(ctx, "no answer in " + timeoutMs + " ms"), timeoutMs, TimeUnit.MILLISECONDS);
            ctx.channel().closeFuture().addListener(closed -> deadline.cancel(false));
        }

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, ByteBuf frame) {
            if (sasl) {
                answer.complete(new Brokers(null, List.of()));
                ctx.close();
                return;
            }
            if (!new FrameGuard().acceptsResponse(frame.nioBuffer(), ApiKeys.METADATA.id, VERSION)) {
                end(ctx, "the answer is not a Metadata response");
                return;
            }
            ByteBufferAccessor readable = new ByteBufferAccessor(frame.nioBuffer());
            new ResponseHeaderData(readable, RESPONSE_HEADER_VERSION);
            MetadataResponseData response = new MetadataResponseData(readable, VERSION);
            answer.complete(new Brokers(
                    response.clusterId(),
                    response.brokers().stream()
                            .map(broker -> new BrokerEndpoint(broker.nodeId(), broker.host(), broker.port()))
                            .toList()));
            ctx.close();
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            end(ctx, "the connection was closed");
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            if (TlsFailure.isCauseOf(cause)) {
                failTls(ctx, cause);
            } else {
                end(ctx, cause.toString());
            }
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event instanceof SslHandshakeCompletionEvent completion && !completion.isSuccess()) {
                failTls(ctx, completion.cause());
            }
        }

        private void failTls(ChannelHandlerContext ctx, Throwable cause) {
            answer.completeExceptionally(new SSLException(TlsFailure.describe(cause)));
            ctx.close();
        }

        private void end(ChannelHandlerContext ctx, String reason) {
            answer.completeExceptionally(new IOException(reason));
            ctx.close();
        }
    }

    private ByteBuf request() {
        ApiKeys api = sasl ? ApiKeys.API_VERSIONS : ApiKeys.METADATA;
        short version = sasl ? SASL_VERSION : VERSION;
        ApiMessage body = sasl
                ? new ApiVersionsRequestData()
                : new MetadataRequestData().setTopics(List.of()).setAllowAutoTopicCreation(false);
        RequestHeader header = new RequestHeader(api, version, "slipstream-proxy", 1);
        return Unpooled.wrappedBuffer(RequestUtils.serialize(header.data(), header.headerVersion(), body, version));
    }
}
