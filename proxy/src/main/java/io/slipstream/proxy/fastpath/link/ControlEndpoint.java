package io.slipstream.proxy.fastpath.link;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.UnixChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.slipstream.protocol.control.ControlCodec;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.proxy.fastpath.FallbackReason;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The control socket of one broker; hands out the one connection to it, shared by all event loops, and makes a new one when that is gone.
 *
 * <pre>
 *   no connection ──first caller──▶ connecting ──Hello answered──▶ connected ──closed──▶ no connection
 *          ▲                            │ no socket, refused, deadline, wrong broker
 *          └──── after absenceNs ───────┘
 * </pre>
 *
 * Thread-safe; the lock is held for assignments only.
 */
public final class ControlEndpoint {
    private static final Logger log = LoggerFactory.getLogger(ControlEndpoint.class);

    private final String clusterId;
    private final int nodeId;
    private final Path socket;
    private final String proxyId;
    private final long timeoutNs;
    private final long absenceNs;

    private CompletableFuture<ControlConnection> current;
    private long failedAtNs;

    public ControlEndpoint(
            String clusterId, int nodeId, Path directory, String proxyId, long timeoutNs, long absenceNs) {
        this.clusterId = clusterId;
        this.nodeId = nodeId;
        this.socket = directory.resolve(clusterId + "." + nodeId + ".sock");
        this.proxyId = proxyId;
        this.timeoutNs = timeoutNs;
        this.absenceNs = absenceNs;
    }

    /** Why there is no connection; {@link FallbackReason#NO_PLUGIN} if nothing listens there. */
    static final class Unreachable extends Exception {
        private static final long serialVersionUID = 1L;
        private final FallbackReason reason;

        Unreachable(FallbackReason reason, String message) {
            super(message, null, false, false);
            this.reason = reason;
        }

        FallbackReason reason() {
            return reason;
        }
    }

    /** The connection; fails with {@link Unreachable}. Completes on any event loop. */
    CompletableFuture<ControlConnection> connection(EventLoop loop) {
        CompletableFuture<ControlConnection> attempt;
        synchronized (this) {
            if (current != null && !isSpent(current)) {
                return current;
            }
            attempt = new CompletableFuture<>();
            current = attempt;
        }
        connect(loop, attempt);
        return attempt;
    }

    private boolean isSpent(CompletableFuture<ControlConnection> attempt) {
        if (attempt.isCompletedExceptionally()) {
            return System.nanoTime() - failedAtNs >= absenceNs;
        }
        return attempt.isDone() && !attempt.join().isOpen();
    }

    private void connect(EventLoop loop, CompletableFuture<ControlConnection> attempt) {
        ControlConnection connection = new ControlConnection(timeoutNs);
        ChannelFuture connected = new Bootstrap()
                .group(loop)
                .channel(EpollDomainSocketChannel.class)
                .handler(new ChannelInitializer<UnixChannel>() {
                    @Override
                    protected void initChannel(UnixChannel channel) {
                        int max = ControlCodec.MAX_FRAME_BYTES;
                        channel.pipeline().addLast(new LengthFieldBasedFrameDecoder(max + 4, 0, 4, 0, 4), connection);
                    }
                })
                .connect(new DomainSocketAddress(socket.toString()));
        connected.addListener(done -> {
            if (done.isSuccess()) {
                introduce(loop, connection, attempt);
            } else {
                log.debug("no plugin at {}: {}", socket, done.cause().toString());
                fail(attempt, FallbackReason.NO_PLUGIN, "no plugin at " + socket);
            }
        });
    }

    private void introduce(EventLoop loop, ControlConnection connection, CompletableFuture<ControlConnection> attempt) {
        String version = ControlEndpoint.class.getPackage().getImplementationVersion();
        ControlRequest hello = new ControlRequest.Hello(proxyId, version == null ? "dev" : version);
        connection.ask(hello, loop, response -> {
            String refusal = refusalOf(response);
            if (refusal == null) {
                connection.introduced((ControlResponse.Hello) response);
                log.info("plugin of broker {} reached at {}", nodeId, socket);
                attempt.complete(connection);
            } else {
                log.warn("plugin at {} is of no use: {}", socket, refusal);
                connection.close();
                fail(attempt, FallbackReason.NO_PLUGIN, refusal);
            }
        });
    }

    private String refusalOf(ControlResponse response) {
        if (!(response instanceof ControlResponse.Hello hello)) {
            return "no answer to Hello";
        } else if (hello.error() != ControlError.NONE) {
            return hello.error() + ": " + hello.message();
        } else if (!clusterId.equals(hello.clusterId()) || nodeId != hello.nodeId()) {
            return "it belongs to broker " + hello.nodeId() + " of cluster " + hello.clusterId();
        }
        return null;
    }

    private void fail(CompletableFuture<ControlConnection> attempt, FallbackReason reason, String message) {
        synchronized (this) {
            failedAtNs = System.nanoTime();
        }
        attempt.completeExceptionally(new Unreachable(reason, message));
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
