// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.control;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import io.slipstream.link.net.NameLookups;
import io.slipstream.link.net.SelfConnectGuard;
import io.slipstream.link.net.TlsFailure;
import io.slipstream.link.settings.LinkSettings;
import io.slipstream.protocol.control.ControlCodec;
import io.slipstream.protocol.control.ControlSecret;
import java.net.InetSocketAddress;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The control channel of one broker. It provides the one connection, which all event loops share, and opens a new one
 * after the loss of it. It tries the broker's socket in the directory first, then TCP.
 *
 * <pre>
 *   no connection ──first caller──▶ socket? ──absent──▶ TCP? ──Hello answered──▶ connected ──closed──▶ no connection
 *          ▲                           └───────Hello answered──────────────────────▲
 *          └──── after absenceNs ──── neither, refused, deadline, wrong broker
 * </pre>
 *
 * <p>The absence of a socket is found at once; a host that drops packets costs the whole time-out. If the last attempt
 * over TCP failed, the next one runs in the background. Callers then fail at once, and a later caller gets the
 * connection.
 *
 * <p>Thread-safe; the lock is held for assignments only.
 */
public final class ControlEndpoint {
    private static final Logger log = LoggerFactory.getLogger(ControlEndpoint.class);
    private static final int TCP_CONNECT_TIMEOUT_MS = 2_000;

    private final String clusterId;
    private final int nodeId;
    private final ControlAddress socket;
    private final Supplier<ControlAddress> tcp;
    private final ControlTrust trust;
    private final String proxyId;
    private final NameLookups names;
    private final long timeoutNs;
    private final long absenceNs;

    private CompletableFuture<ControlConnection> current;
    /** Whether the last attempt over TCP found nothing, and whether a background attempt is running. */
    private boolean absentOnTcp;

    private boolean tryingTcp;
    private long failedAtNs;
    private String lastRefusal;

    /** @param tcp supplies the address of the plugin on TCP as currently known; null if there is none */
    ControlEndpoint(
            String clusterId,
            int nodeId,
            LinkSettings settings,
            Supplier<ControlAddress> tcp,
            String proxyId,
            NameLookups names) {
        this.clusterId = clusterId;
        this.nodeId = nodeId;
        this.socket = ControlAddress.socket(
                settings.directory().resolve(clusterId + "." + nodeId + ".sock").toString());
        this.tcp = tcp;
        this.trust = new ControlTrust(
                settings.transport().device().localPeers(),
                settings.controlPorts().secret(),
                settings.controlPorts().tls());
        this.proxyId = proxyId;
        this.names = names;
        this.timeoutNs = settings.controlTimeoutNs();
        this.absenceNs = settings.absenceNs();
    }

    /**
     * There is no connection; the reason is {@link LinkObstacle#NO_PLUGIN} if nothing listens at the plugin's
     * addresses.
     */
    public static final class Unreachable extends Exception {
        private static final long serialVersionUID = 1L;
        private final LinkObstacle reason;

        Unreachable(LinkObstacle reason, String message) {
            super(message, null, false, false);
            this.reason = reason;
        }

        public LinkObstacle reason() {
            return reason;
        }
    }

    /** The connection; fails with {@link Unreachable}. Completes on any event loop. */
    public CompletableFuture<ControlConnection> connection(EventLoop loop) {
        CompletableFuture<ControlConnection> attempt;
        synchronized (this) {
            if (current != null && !isSpent(current)) {
                return current;
            }
            attempt = new CompletableFuture<>();
            current = attempt;
        }
        connect(loop, socket).whenComplete((connection, failure) -> {
            if (failure == null) {
                attempt.complete(connection);
            } else {
                tryTcp(loop, attempt, failure);
            }
        });
        return attempt;
    }

    private boolean isSpent(CompletableFuture<ControlConnection> attempt) {
        if (attempt.isCompletedExceptionally()) {
            return System.nanoTime() - failedAtNs >= absenceNs;
        }
        return attempt.isDone() && !attempt.join().isOpen();
    }

    private void tryTcp(EventLoop loop, CompletableFuture<ControlConnection> attempt, Throwable withoutSocket) {
        ControlAddress address = tcp.get();
        if (address == null) {
            fail(attempt, withoutSocket);
            return;
        }
        boolean inBackground;
        synchronized (this) {
            inBackground = absentOnTcp;
            if (inBackground && tryingTcp) {
                address = null;
            }
            tryingTcp = true;
        }
        if (address != null) {
            connectTcp(loop, address).whenComplete((connection, failure) -> onTcpTried(attempt, connection, failure));
        }
        if (inBackground) {
            fail(attempt, withoutSocket);
        }
    }

    private void onTcpTried(
            CompletableFuture<ControlConnection> attempt, ControlConnection connection, Throwable failure) {
        boolean surplus;
        synchronized (this) {
            tryingTcp = false;
            absentOnTcp = failure != null;
            // A background attempt has failed for its callers long ago; the socket may have been found meanwhile.
            surplus = attempt.isDone() && current != null && !current.isCompletedExceptionally();
            if (failure == null && attempt.isDone() && !surplus) {
                current = CompletableFuture.completedFuture(connection);
            }
        }
        if (failure != null) {
            fail(attempt, failure);
        } else if (surplus) {
            connection.close();
        } else {
            attempt.complete(connection);
        }
    }

    private CompletableFuture<ControlConnection> connectTcp(EventLoop loop, ControlAddress address) {
        CompletableFuture<ControlConnection> attempt = new CompletableFuture<>();
        names.addressesOf((InetSocketAddress) address.address(), loop, patienceMs())
                .addListener((Future<List<InetSocketAddress>> found) -> {
                    if (found.isSuccess()) {
                        connectTcp(loop, found.getNow().iterator(), attempt);
                    } else {
                        log.debug("no plugin at {}: {}", address, found.cause().toString());
                        attempt.completeExceptionally(
                                new Unreachable(LinkObstacle.NO_PLUGIN, "no plugin at " + address));
                    }
                });
        return attempt;
    }

    /** Tries one address after the other. */
    private void connectTcp(
            EventLoop loop, Iterator<InetSocketAddress> addresses, CompletableFuture<ControlConnection> attempt) {
        connect(loop, ControlAddress.tcp(addresses.next())).whenComplete((connection, failure) -> {
            if (failure == null) {
                attempt.complete(connection);
            } else if (addresses.hasNext()) {
                connectTcp(loop, addresses, attempt);
            } else {
                attempt.completeExceptionally(failure);
            }
        });
    }

    private int patienceMs() {
        return Math.max(1, (int) Math.min(TCP_CONNECT_TIMEOUT_MS, TimeUnit.NANOSECONDS.toMillis(timeoutNs)));
    }

    private CompletableFuture<ControlConnection> connect(EventLoop loop, ControlAddress address) {
        CompletableFuture<ControlConnection> attempt = new CompletableFuture<>();
        ControlConnection connection = new ControlConnection(timeoutNs);
        SslHandler tls = handler(address);
        Bootstrap bootstrap = new Bootstrap()
                .group(loop)
                .channel(address.channel())
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        if (address.isTcp()) {
                            channel.pipeline().addLast(SelfConnectGuard.NAME, new SelfConnectGuard());
                        }
                        if (tls != null) {
                            channel.pipeline().addLast("tls", tls);
                        }
                        int max = ControlCodec.MAX_FRAME_BYTES;
                        channel.pipeline().addLast(new LengthFieldBasedFrameDecoder(max + 4, 0, 4, 0, 4), connection);
                    }
                });
        if (address.isTcp()) {
            bootstrap
                    .option(ChannelOption.TCP_NODELAY, true)
                    .option(ChannelOption.SO_KEEPALIVE, true)
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, patienceMs());
        }
        bootstrap.connect(address.address()).addListener((ChannelFuture done) -> {
            if (done.isSuccess() && tls != null) {
                tls.handshakeFuture()
                        .addListener(end -> onHandshake(loop, address, tls, end.cause(), connection, attempt));
            } else if (done.isSuccess()) {
                introduce(loop, address, done.channel(), connection, attempt);
            } else {
                log.debug("no plugin at {}: {}", address, done.cause().toString());
                attempt.completeExceptionally(new Unreachable(LinkObstacle.NO_PLUGIN, "no plugin at " + address));
            }
        });
        return attempt;
    }

    /** Null for connections without TLS. */
    private SslHandler handler(ControlAddress address) {
        if (trust.tls() == null || !(address.address() instanceof InetSocketAddress plugin)) {
            return null;
        }
        SslHandler handler = trust.tls().towardsPlugin(plugin);
        handler.setHandshakeTimeoutMillis(Math.max(1, TimeUnit.NANOSECONDS.toMillis(timeoutNs)));
        return handler;
    }

    private void onHandshake(
            EventLoop loop,
            ControlAddress address,
            SslHandler tls,
            Throwable failure,
            ControlConnection connection,
            CompletableFuture<ControlConnection> attempt) {
        if (failure != null) {
            refuse(address, "TLS: " + TlsFailure.describe(failure), connection, attempt);
            return;
        }
        try {
            connection.secured(ControlSecret.digest(tls.engine().getSession().getPeerCertificates()));
        } catch (SSLPeerUnverifiedException e) {
            refuse(address, "TLS: it presented no certificate", connection, attempt);
            return;
        }
        introduce(loop, address, connection.channel(), connection, attempt);
    }

    private void refuse(
            ControlAddress address,
            String refusal,
            ControlConnection connection,
            CompletableFuture<ControlConnection> attempt) {
        complain(address, refusal);
        connection.close();
        attempt.completeExceptionally(new Unreachable(LinkObstacle.NO_PLUGIN, refusal));
    }

    private void introduce(
            EventLoop loop,
            ControlAddress address,
            Channel channel,
            ControlConnection connection,
            CompletableFuture<ControlConnection> attempt) {
        Consumer<String> refused = refusal -> refuse(address, refusal, connection, attempt);
        String stranger = channel instanceof EpollDomainSocketChannel unix ? trust.stranger(unix) : null;
        if (stranger != null) {
            refused.accept(stranger);
            return;
        }
        ControlSecret secret = address.isTcp() ? trust.secret() : null;
        new ControlGreeting(
                        clusterId,
                        nodeId,
                        proxyId,
                        secret,
                        connection,
                        loop,
                        hello -> {
                            connection.introduced(hello);
                            log.info(
                                    "plugin of broker {} reached at {}: provider {}",
                                    nodeId,
                                    address,
                                    hello.provider());
                            attempt.complete(connection);
                        },
                        refused)
                .begin();
    }

    /** Logs each reason once, because the attempt is repeated about every second. */
    private void complain(ControlAddress address, String refusal) {
        synchronized (this) {
            if (refusal.equals(lastRefusal)) {
                return;
            }
            lastRefusal = refusal;
        }
        log.warn("plugin at {} is of no use: {}", address, refusal);
    }

    private void fail(CompletableFuture<ControlConnection> attempt, Throwable cause) {
        synchronized (this) {
            failedAtNs = System.nanoTime();
        }
        attempt.completeExceptionally(cause);
    }

    /** Closes the connection, if there is one. */
    void close() {
        CompletableFuture<ControlConnection> last;
        synchronized (this) {
            last = current;
        }
        if (last != null) {
            last.thenAccept(ControlConnection::close);
        }
    }
}
