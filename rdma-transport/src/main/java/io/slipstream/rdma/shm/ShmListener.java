// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.unix.DomainSocketAddress;
import io.slipstream.rdma.RdmaListener;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Accepts connections on a socket path. The first message on a new socket tells whether it is the control socket of a
 * new connection or the descriptor socket of a pending one. Any other message closes that socket only.
 */
final class ShmListener implements RdmaListener {
    private static final Logger log = LoggerFactory.getLogger(ShmListener.class);
    /** Maximum number of sockets that have not finished their handshake. Further ones are closed at once. */
    static final int MAX_PENDING_SOCKETS = 256;

    private static final int MOST_STRANGERS = 100;

    private static final SecureRandom RANDOM = new SecureRandom();

    private final ShmDevice device;
    private final Handler handler;
    private final SocketPath path;
    private final Channel server;
    private final Map<Message.Token, ShmIncomingConnection> byToken = new HashMap<>();
    /** The refused users, each of which is logged once. */
    private final Set<String> strangers = new HashSet<>();

    private int pendingSockets;

    ShmListener(ShmDevice device, String address, Handler handler) throws IOException {
        this.device = device;
        this.handler = handler;
        this.path = SocketPath.claim(Path.of(address));
        try {
            this.server = new ServerBootstrap()
                    .group(device.loop)
                    .channel(EpollServerDomainSocketChannel.class)
                    .childHandler(new ChannelInitializer<EpollDomainSocketChannel>() {
                        @Override
                        protected void initChannel(EpollDomainSocketChannel channel) {
                            accepted(channel);
                        }
                    })
                    .bind(new DomainSocketAddress(path.temporary.toFile()))
                    .sync()
                    .channel();
            path.publish(device.peers);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while binding " + address, e);
        } catch (IOException | RuntimeException e) {
            throw new IOException("cannot listen on " + address + ": " + e.getMessage(), e);
        }
    }

    @Override
    public String address() {
        return path.path.toString();
    }

    private void accepted(EpollDomainSocketChannel channel) {
        String stranger = Sockets.stranger(channel, device.peers);
        if (stranger != null) {
            if (strangers.size() < MOST_STRANGERS && strangers.add(stranger)) {
                log.warn("refused connections to {} from {}", path.path, stranger);
            }
            channel.close();
            return;
        }
        if (pendingSockets == MAX_PENDING_SOCKETS) {
            channel.close();
            return;
        }
        pendingSockets++;
        channel.closeFuture().addListener(closed -> handshakeOver(channel));
        Sockets.prepare(channel);
        channel.pipeline().addLast("first", new FirstMessage());
        device.scheduleOn(channel, () -> {
            if (Sockets.isPending(channel)) {
                log.debug("a peer did not finish its handshake in time");
                channel.close();
            }
        });
    }

    private void handshakeOver(Channel channel) {
        if (Sockets.markOver(channel)) {
            pendingSockets--;
        }
    }

    /** The connection is established, so its sockets no longer count as pending. */
    void established(ShmIncomingConnection connection) {
        byToken.remove(connection.token);
        handshakeOver(connection.control);
        handshakeOver(connection.descriptorChannel);
    }

    void failed(ShmIncomingConnection connection) {
        byToken.remove(connection.token);
    }

    private void begin(EpollDomainSocketChannel channel, Message.Hello hello) {
        Message.Token token = new Message.Token(RANDOM.nextLong(), RANDOM.nextLong());
        byToken.put(token, new ShmIncomingConnection(device, this, channel, token, hello.privateData()));
    }

    private void attach(EpollDomainSocketChannel channel, Message.Attach attach) throws IOException {
        // A token is valid once: a second socket with the same token is refused.
        ShmIncomingConnection connection = byToken.remove(new Message.Token(attach.high(), attach.low()));
        if (connection == null) {
            throw new IOException("unknown token");
        }
        connection.attached(channel);
        try {
            handler.onConnectionRequest(connection);
        } catch (RuntimeException e) {
            log.warn("connection handler failed", e);
            connection.reject("internal error of the target");
        }
    }

    @Override
    public void close() {
        path.remove();
        server.close();
        device.listeners.remove(this);
    }

    private final class FirstMessage extends SimpleChannelInboundHandler<ByteBuf> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) throws IOException {
            EpollDomainSocketChannel channel = (EpollDomainSocketChannel) context.channel();
            Message message = MessageCodec.decode(frame);
            context.pipeline().remove(this);
            if (message instanceof Message.Hello hello) {
                begin(channel, hello);
            } else if (message instanceof Message.Attach attach) {
                Sockets.stopFraming(channel);
                try {
                    attach(channel, attach);
                } catch (IOException e) {
                    log.debug("refused a socket: {}", e.getMessage());
                    channel.close();
                }
            } else {
                channel.close();
            }
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof ChannelInputShutdownEvent) {
                context.close();
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            log.debug("refused a socket: {}", cause.getMessage());
            context.close();
        }
    }
}
