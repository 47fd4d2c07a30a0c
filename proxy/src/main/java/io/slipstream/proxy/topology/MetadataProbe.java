package io.slipstream.proxy.topology;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.slipstream.protocol.wire.FrameGuard;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.ObjectSerializationCache;

/** One connection on which one Metadata request without topics is asked and answered; then it is closed. */
final class MetadataProbe extends ChannelInitializer<Channel> {
    /** Known to every broker since 1.0, not flexible: the shortest. */
    private static final short VERSION = 5;

    private static final short REQUEST_HEADER_VERSION = ApiKeys.METADATA.requestHeaderVersion(VERSION);
    private static final short RESPONSE_HEADER_VERSION = ApiKeys.METADATA.responseHeaderVersion(VERSION);
    private static final int SIZE_BYTES = 4;
    private static final int MAX_RESPONSE_BYTES = 16 << 20;

    /** The answer. */
    record Brokers(String clusterId, List<BrokerEndpoint> endpoints) {}

    private final CompletableFuture<Brokers> answer = new CompletableFuture<>();
    private final int timeoutMs;
    private volatile boolean connected;

    MetadataProbe(int timeoutMs) {
        this.timeoutMs = timeoutMs;
    }

    /** Fails if the connection ends or the deadline passes without an answer; never completes if it could not be opened. */
    CompletableFuture<Brokers> answer() {
        return answer;
    }

    boolean wasConnected() {
        return connected;
    }

    @Override
    protected void initChannel(Channel channel) {
        channel.pipeline()
                .addLast(SelfConnectGuard.NAME, new SelfConnectGuard())
                .addLast(new LengthFieldBasedFrameDecoder(MAX_RESPONSE_BYTES, 0, SIZE_BYTES, 0, SIZE_BYTES))
                .addLast(new Exchange());
    }

    private final class Exchange extends SimpleChannelInboundHandler<ByteBuf> {
        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            connected = true;
            ctx.writeAndFlush(request(ctx));
            var deadline = ctx.executor()
                    .schedule(() -> end(ctx, "no answer in " + timeoutMs + " ms"), timeoutMs, TimeUnit.MILLISECONDS);
            ctx.channel().closeFuture().addListener(closed -> deadline.cancel(false));
        }

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, ByteBuf frame) {
            if (!new FrameGuard().acceptsResponse(frame.nioBuffer(), ApiKeys.METADATA.id, VERSION)) {
                end(ctx, "what came is no Metadata response");
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
            end(ctx, cause.toString());
        }

        private void end(ChannelHandlerContext ctx, String reason) {
            answer.completeExceptionally(new IOException(reason));
            ctx.close();
        }
    }

    private static ByteBuf request(ChannelHandlerContext ctx) {
        RequestHeaderData header = new RequestHeaderData()
                .setRequestApiKey(ApiKeys.METADATA.id)
                .setRequestApiVersion(VERSION)
                .setCorrelationId(1)
                .setClientId("slipstream-proxy");
        MetadataRequestData body =
                new MetadataRequestData().setTopics(List.of()).setAllowAutoTopicCreation(false);
        ObjectSerializationCache cache = new ObjectSerializationCache();
        int sizeBytes = header.size(cache, REQUEST_HEADER_VERSION) + body.size(cache, VERSION);
        ByteBuf out = ctx.alloc().buffer(SIZE_BYTES + sizeBytes);
        out.writeInt(sizeBytes);
        ByteBufferAccessor writable = new ByteBufferAccessor(out.nioBuffer(SIZE_BYTES, sizeBytes));
        header.write(writable, cache, REQUEST_HEADER_VERSION);
        body.write(writable, cache, VERSION);
        return out.writerIndex(SIZE_BYTES + sizeBytes);
    }
}
