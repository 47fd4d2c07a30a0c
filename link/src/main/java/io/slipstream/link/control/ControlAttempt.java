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
import io.slipstream.link.net.ConnectGuard;
import io.slipstream.link.net.TlsFailure;
import io.slipstream.protocol.control.ControlCodec;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.control.ControlSecret;
import io.slipstream.protocol.control.ControlSecret.Side;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt to reach the plugin at one address. With a secret, both sides prove that they have it; then Hello
 * identifies the plugin. Confined to its event loop.
 *
 * <pre>
 *   connect ──TCP──▶ TLS? ──▶ Challenge ──▶ Authenticate ──▶ proof valid? ──▶ Hello ──▶ expected broker? ──▶ reached
 *      │               └──without a secret────────────────────────────────────────▲
 *      └──socket──▶ owner accepted? ──────────────────────────────────────────────┘
 * </pre>
 */
final class ControlAttempt {
    private static final Logger log = LoggerFactory.getLogger(ControlAttempt.class);

    private final ControlEndpoint endpoint;
    private final EventLoop loop;
    private final ControlAddress address;
    private final ControlConnection connection;
    /** Null for connections without TLS. */
    private final SslHandler tls;
    /** Null if no proof is required. */
    private final ControlSecret secret;

    private final CompletableFuture<ControlConnection> reached = new CompletableFuture<>();

    private ControlAttempt(ControlEndpoint endpoint, EventLoop loop, ControlAddress address) {
        this.endpoint = endpoint;
        this.loop = loop;
        this.address = address;
        this.connection = new ControlConnection(endpoint.settings.controlTimeoutNs());
        this.tls = handler(endpoint.settings.controlPorts().tls());
        this.secret = address.isTcp() ? endpoint.settings.controlPorts().secret() : null;
    }

    /** The connection; fails with {@link ControlEndpoint.Unreachable}, also if the attempt could not be made. */
    static CompletableFuture<ControlConnection> start(
            ControlEndpoint endpoint, EventLoop loop, ControlAddress address) {
        try {
            return new ControlAttempt(endpoint, loop, address).start();
        } catch (RuntimeException e) {
            endpoint.complain(address, e.toString());
            return CompletableFuture.failedFuture(new ControlEndpoint.Unreachable(e.toString()));
        }
    }

    private SslHandler handler(Function<InetSocketAddress, SslHandler> configured) {
        if (configured == null || !(address.address() instanceof InetSocketAddress plugin)) {
            return null;
        }
        SslHandler handler = configured.apply(plugin);
        long timeoutMs = TimeUnit.NANOSECONDS.toMillis(endpoint.settings.controlTimeoutNs());
        handler.setHandshakeTimeoutMillis(Math.max(1, timeoutMs));
        return handler;
    }

    private CompletableFuture<ControlConnection> start() {
        Bootstrap bootstrap = new Bootstrap()
                .group(loop)
                .channel(address.channel())
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        if (address.isTcp()) {
                            channel.pipeline().addLast(ConnectGuard.NAME, new ConnectGuard());
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
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, endpoint.patienceMs());
        }
        bootstrap.connect(address.address()).addListener((ChannelFuture done) -> {
            if (done.isSuccess() && tls != null) {
                tls.handshakeFuture().addListener(end -> onHandshake(end.cause()));
            } else if (done.isSuccess()) {
                greet();
            } else {
                log.debug("no plugin at {}: {}", address, done.cause().toString());
                reached.completeExceptionally(new ControlEndpoint.Unreachable("no plugin at " + address));
            }
        });
        return reached;
    }

    private void onHandshake(Throwable failure) {
        if (failure != null) {
            refuse("TLS: " + TlsFailure.describe(failure));
            return;
        }
        try {
            connection.certificate =
                    ControlSecret.digest(tls.engine().getSession().getPeerCertificates());
        } catch (SSLPeerUnverifiedException e) {
            refuse("TLS: it presented no certificate");
            return;
        }
        greet();
    }

    private void greet() {
        String stranger = connection.channel instanceof EpollDomainSocketChannel unix ? stranger(unix) : null;
        if (stranger != null) {
            refuse(stranger);
        } else if (secret == null) {
            hello();
        } else {
            String nonce = ControlSecret.newNonce();
            connection.ask(new ControlRequest.Challenge(nonce), loop, answer -> challenged(nonce, answer));
        }
    }

    /**
     * Null if the listening process belongs to an accepted user; otherwise a description of its user. The socket file
     * is no evidence: other users with access to the directory may create it.
     */
    private String stranger(EpollDomainSocketChannel channel) {
        try {
            int uid = channel.peerCredentials().uid();
            return endpoint.peers().allows(uid)
                    ? null
                    : "its socket belongs to user " + Integer.toUnsignedString(uid) + ", and rdma.control.users allows "
                            + endpoint.peers();
        } catch (IOException e) {
            return "the kernel does not report the owner of the socket: " + e.getMessage();
        }
    }

    private void challenged(String proxyNonce, ControlResponse answer) {
        if (!(answer instanceof ControlResponse.Challenge challenge) || challenge.error() != ControlError.NONE) {
            refuse("Challenge", answer);
            return;
        }
        String brokerNonce = challenge.nonce();
        if (!ControlSecret.isNonce(brokerNonce)) {
            refuse("its nonce is invalid");
            return;
        }
        String own = proof(Side.PROXY, proxyNonce, brokerNonce);
        String expected = proof(Side.BROKER, proxyNonce, brokerNonce);
        connection.ask(new ControlRequest.Authenticate(own), loop, proven -> proven(expected, proven));
    }

    private String proof(Side side, String proxyNonce, String brokerNonce) {
        return secret.proof(side, endpoint.clusterId, endpoint.nodeId, proxyNonce, brokerNonce, connection.certificate);
    }

    private void proven(String expected, ControlResponse answer) {
        if (!(answer instanceof ControlResponse.Authenticate proof) || proof.error() != ControlError.NONE) {
            refuse("Authenticate", answer);
        } else if (!ControlSecret.isSame(expected, proof.proof())) {
            refuse("it did not prove the secret of rdma.control.secret");
        } else {
            hello();
        }
    }

    private void hello() {
        String version = ControlAttempt.class.getPackage().getImplementationVersion();
        ControlRequest hello = new ControlRequest.Hello(endpoint.proxyId, version == null ? "dev" : version);
        connection.ask(hello, loop, this::greeted);
    }

    private void greeted(ControlResponse answer) {
        if (!(answer instanceof ControlResponse.Hello hello) || hello.error() != ControlError.NONE) {
            refuse("Hello", answer);
        } else if (!endpoint.clusterId.equals(hello.clusterId()) || endpoint.nodeId != hello.nodeId()) {
            refuse("it belongs to broker " + hello.nodeId() + " of cluster " + hello.clusterId());
        } else {
            connection.hello = hello;
            log.info("plugin of broker {} reached at {}: provider {}", hello.nodeId(), address, hello.provider());
            reached.complete(connection);
        }
    }

    private void refuse(String what, ControlResponse answer) {
        refuse(
                answer == null
                        ? "no answer to " + what + connection.whyNone()
                        : answer.error() + ": " + answer.message());
    }

    private void refuse(String refusal) {
        endpoint.complain(address, refusal);
        connection.close();
        reached.completeExceptionally(new ControlEndpoint.Unreachable(refusal));
    }
}
