// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.slipstream.proxy.config.ProxyKeys;
import io.slipstream.proxy.session.Transport;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/**
 * A Netty server that answers each frame with its correlation id and constant bytes. It runs in the benchmark's JVM, on
 * one event loop of the proxy's kind: with the same sockets, and polling as long before it sleeps. What a proxy takes
 * beyond it is the proxy's own work.
 */
final class EchoFloor implements AutoCloseable {
    /** The proxy's default. */
    private static final long SPIN_NS = TimeUnit.MICROSECONDS.toNanos(
            (int) ProxyKeys.DEFINITION.defaultValues().get(ProxyKeys.EVENT_LOOPS_SPIN_US));

    private static final int CORRELATION_ID_INDEX = 8;
    private static final int MAX_FRAME_BYTES = 2 << 20;
    /** Shorter answers are copied into one buffer; longer ones are sent without a copy. */
    private static final int MOST_COPIED_BYTES = 4 << 10;

    private final Transport transport;
    private final Channel server;
    private final ByteBuf answer;

    private EchoFloor(Transport transport, Channel server, ByteBuf answer) {
        this.transport = transport;
        this.server = server;
        this.answer = answer;
    }

    /** Answers with zeros. */
    static EchoFloor start(int answerBytes) {
        return start(ByteBuffer.allocate(answerBytes));
    }

    /** @param example an answer from its correlation id on; it is copied */
    static EchoFloor start(ByteBuffer example) {
        ByteBuf answer = Unpooled.directBuffer(example.remaining()).writeBytes(example);
        Transport transport = Transport.start("slipstream-loop", 1, SPIN_NS);
        Channel server = new ServerBootstrap()
                .group(transport.loops())
                .channel(transport.serverChannel())
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline()
                                .addLast(new LengthFieldBasedFrameDecoder(MAX_FRAME_BYTES, 0, Integer.BYTES))
                                .addLast(new Answerer(answer));
                    }
                })
                .bind("127.0.0.1", 0)
                .syncUninterruptibly()
                .channel();
        return new EchoFloor(transport, server, answer);
    }

    String address() {
        InetSocketAddress address = (InetSocketAddress) server.localAddress();
        return "127.0.0.1:" + address.getPort();
    }

    @Override
    public void close() {
        server.close().syncUninterruptibly();
        transport.close();
        answer.release();
    }

    private static final class Answerer extends ChannelInboundHandlerAdapter {
        private final ByteBuf answer;

        Answerer(ByteBuf answer) {
            this.answer = answer;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf frame = (ByteBuf) message;
            int correlationId = frame.getInt(frame.readerIndex() + CORRELATION_ID_INDEX);
            frame.release();
            int answerBytes = answer.readableBytes();
            boolean copied = answerBytes <= MOST_COPIED_BYTES;
            ByteBuf head = context.alloc().ioBuffer(2 * Integer.BYTES + (copied ? answerBytes : 0));
            head.writeInt(answerBytes).writeInt(correlationId);
            int behindId = answerBytes - Integer.BYTES;
            if (copied) {
                head.writeBytes(answer, answer.readerIndex() + Integer.BYTES, behindId);
            }
            context.write(head, context.voidPromise());
            if (!copied) {
                context.write(answer.retainedSlice(Integer.BYTES, behindId), context.voidPromise());
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }
    }
}
