// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.control;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.slipstream.broker.config.HostPort;
import io.slipstream.broker.config.PluginKeys;
import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.broker.metrics.PluginMeters;
import io.slipstream.protocol.control.ControlCodec;
import io.slipstream.rdma.LocalPeers;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens on the control socket, and on TCP if configured. One event loop, the <em>control thread</em>, makes and ends
 * all links and sessions, so their tables need no locks.
 *
 * <p>The socket admits processes of the users in {@link LocalPeers}. TCP admits peers that prove the secret, if there
 * is one ({@link Authentication}), and show a certificate, if one is required ({@link ControlEncryption}). Each
 * listener has its own limit of connections ({@link ProxyConnections}), so that remote peers cannot exclude local
 * proxies. TCP keep-alive detects a silent host. {@link ProxyConnection} closes a peer that does not say Hello or does
 * not read.
 */
public final class ControlServer implements AutoCloseable {
    private static final int KEEP_ALIVE_IDLE_S = 20;
    private static final int KEEP_ALIVE_INTERVAL_S = 10;
    private static final int KEEP_ALIVE_PROBES = 3;
    private static final int UNACKNOWLEDGED_TIMEOUT_MS = 30_000;

    private static final Logger log = LoggerFactory.getLogger(ControlServer.class);

    /**
     * Quiet period of the shutdown. Without one, Netty may end a busy loop before it has closed the loop's connections.
     */
    private static final long QUIET_MS = 10;

    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("slipstream-control", true), EpollIoHandler.newFactory());
    private final int maxProxies;
    private final List<Channel> listeners = new ArrayList<>();
    private Path socket;

    public ControlServer(int maxProxies) {
        this.maxProxies = maxProxies;
    }

    /** Returns the control thread. */
    public EventLoop eventLoop() {
        return group.next();
    }

    /**
     * Starts to listen on a Unix socket for processes of these users. Throws IOException, which names the path, if that
     * fails.
     */
    public void listen(Path path, LocalPeers peers, LinkService service) throws IOException {
        ServerBootstrap bootstrap = new ServerBootstrap().channel(EpollServerDomainSocketChannel.class);
        Acceptor acceptor = new Acceptor(service, null, () -> Authentication.NONE) {
            @Override
            Object peer(Channel channel) throws IOException {
                int uid = ((EpollDomainSocketChannel) channel).peerCredentials().uid();
                if (!peers.allows(uid)) {
                    refuse(
                            uid,
                            "user " + Integer.toUnsignedString(uid) + " is not among " + peers + ", see "
                                    + PluginKeys.CONTROL_USERS);
                    return null;
                }
                return uid;
            }
        };
        bind(bootstrap, new DomainSocketAddress(path.toFile()), path.toString(), acceptor);
        socket = path;
        peers.open(path);
    }

    /**
     * Starts to listen on TCP for peers that pass the authentication; encrypted unless {@code tls} is null. Returns the
     * bound address. Throws IOException, which names the address, if that fails.
     */
    public InetSocketAddress listen(
            HostPort address, ControlEncryption tls, Supplier<Authentication> authentications, LinkService service)
            throws IOException {
        ServerBootstrap bootstrap = new ServerBootstrap()
                .channel(EpollServerSocketChannel.class)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childOption(EpollChannelOption.TCP_KEEPIDLE, KEEP_ALIVE_IDLE_S)
                .childOption(EpollChannelOption.TCP_KEEPINTVL, KEEP_ALIVE_INTERVAL_S)
                .childOption(EpollChannelOption.TCP_KEEPCNT, KEEP_ALIVE_PROBES)
                .childOption(EpollChannelOption.TCP_USER_TIMEOUT, UNACKNOWLEDGED_TIMEOUT_MS);
        InetSocketAddress wanted = new InetSocketAddress(address.host(), address.port());
        if (wanted.isUnresolved()) {
            throw new IOException("Cannot listen on " + address + ": unknown host");
        }
        Acceptor acceptor = new Acceptor(service, tls, authentications) {
            @Override
            Object peer(Channel channel) {
                return ((InetSocketAddress) channel.remoteAddress()).getAddress();
            }
        };
        return (InetSocketAddress) bind(bootstrap, wanted, address.toString(), acceptor);
    }

    private SocketAddress bind(ServerBootstrap bootstrap, SocketAddress address, String name, Acceptor acceptor)
            throws IOException {
        bootstrap.group(group).childHandler(acceptor);
        try {
            Channel listener = bootstrap.bind(address).sync().channel();
            listeners.add(listener);
            return listener.localAddress();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("Interrupted while binding " + name, e);
        } catch (Exception e) {
            throw new IOException("Cannot listen on " + name + ": " + e.getMessage(), e);
        }
    }

    /** Sets up the connections of one listener. Confined to the control thread. */
    private abstract class Acceptor extends ChannelInitializer<Channel> {
        private static final int MOST_STRANGERS = 1000;

        private final LinkService service;
        private final ControlEncryption tls;
        private final Supplier<Authentication> authentications;
        private final PluginMeters counters;
        private final ProxyConnections connections = new ProxyConnections(maxProxies);
        /** Peers that were refused, so that the log names each once. */
        private final Set<Object> strangers = new HashSet<>();

        /**
         * @param tls null: connections without TLS
         * @param authentications makes the authentication of a new connection
         */
        Acceptor(LinkService service, ControlEncryption tls, Supplier<Authentication> authentications) {
            this.service = service;
            this.tls = tls;
            this.authentications = authentications;
            this.counters = service.links.counters;
        }

        /** Returns the peer for which the connection counts; null if the listener refuses it. */
        abstract Object peer(Channel channel) throws IOException;

        void refuse(Object stranger, String reason) {
            counters.increment(PluginMeter.CONTROL_CONNECTIONS_REFUSED);
            if (strangers.size() < MOST_STRANGERS && strangers.add(stranger)) {
                log.warn("Refused a control connection; further refusals of this peer are not logged: {}", reason);
            }
        }

        @Override
        protected void initChannel(Channel channel) throws IOException {
            Object peer = peer(channel);
            if (peer == null) {
                channel.close();
                return;
            } else if (!connections.admit(channel, peer)) {
                counters.increment(PluginMeter.CONTROL_CONNECTIONS_REFUSED);
                connections.warn(connections.open + " are open, no room for another one");
                channel.close();
                return;
            }
            counters.add(PluginMeter.CONTROL_CONNECTIONS_OPEN, 1);
            channel.closeFuture().addListener(closed -> counters.add(PluginMeter.CONTROL_CONNECTIONS_OPEN, -1));
            if (tls != null) {
                channel.pipeline().addLast(ControlEncryption.HANDLER, tls.handler(channel));
            }
            channel.pipeline()
                    .addLast("frameDecoder", new Frames())
                    .addLast("controlConnection", new ProxyConnection(service, connections, authentications.get()));
        }
    }

    /**
     * Splits the received bytes into frames. It detects a TLS handshake on a plain listener and distinguishes it from
     * garbage in the log.
     */
    private static final class Frames extends LengthFieldBasedFrameDecoder {
        /** Type and major version of the first TLS record (RFC 8446, section 5.1), where a frame has its size. */
        private static final int TLS_HANDSHAKE = 0x1603;

        Frames() {
            super(ControlCodec.MAX_FRAME_BYTES + Integer.BYTES, 0, Integer.BYTES, 0, Integer.BYTES);
        }

        @Override
        protected long getUnadjustedFrameLength(ByteBuf bytes, int offset, int lengthBytes, ByteOrder order) {
            long sizeBytes = super.getUnadjustedFrameLength(bytes, offset, lengthBytes, order);
            if (sizeBytes >>> 16 == TLS_HANDSHAKE) {
                bytes.skipBytes(bytes.readableBytes());
                throw new DecoderException(
                        "a proxy uses TLS, but this port is plain: set slipstream.control.ssl.keystore.location, or"
                                + " rdma.control.security.protocol=PLAINTEXT at the proxy");
            }
            return sizeBytes;
        }
    }

    /** Closes the listeners, the connections and the control thread, and removes the socket. Idempotent. */
    @Override
    public void close() {
        for (Channel listener : listeners) {
            listener.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
        }
        group.shutdownGracefully(QUIET_MS, 2_000, TimeUnit.MILLISECONDS).awaitUninterruptibly(3, TimeUnit.SECONDS);
        if (socket != null) {
            try {
                Files.deleteIfExists(socket);
            } catch (IOException e) {
                // The next start replaces a stale socket.
            }
        }
    }
}
