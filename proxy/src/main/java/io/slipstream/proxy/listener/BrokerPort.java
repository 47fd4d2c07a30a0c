// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.listener;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import io.slipstream.proxy.config.ProxyKeys;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The port of one broker. While another process has it, the proxy retries after a pause that doubles up to
 * {@value #LONGEST_PAUSE_MS} ms, and logs the first failure only. Thread-safe; attempts follow one another.
 */
final class BrokerPort {
    private static final Logger log = LoggerFactory.getLogger(BrokerPort.class);
    private static final long FIRST_PAUSE_MS = 500;
    private static final long LONGEST_PAUSE_MS = 30_000;

    /** Completes after the first attempt to open the port, whatever its result. */
    final CompletableFuture<Void> tried = new CompletableFuture<>();

    private final int nodeId;
    private final String address;
    private final EventLoop loop;
    private final Supplier<ChannelFuture> binding;
    private long pauseMs = FIRST_PAUSE_MS;
    private volatile Channel channel;
    private volatile boolean closed;
    /** Why the port is not open; null if it is, or if the first attempt has no result yet. */
    volatile String obstacle;

    /**
     * @param address host and port, for messages
     * @param binding makes an attempt to open the port
     */
    BrokerPort(int nodeId, String address, EventLoop loop, Supplier<ChannelFuture> binding) {
        this.nodeId = nodeId;
        this.address = address;
        this.loop = loop;
        this.binding = binding;
    }

    /** 0 while the port is not open. */
    int number() {
        Channel listener = channel;
        return listener == null ? 0 : ((InetSocketAddress) listener.localAddress()).getPort();
    }

    void open() {
        if (!closed) {
            binding.get().addListener((ChannelFuture done) -> {
                if (done.isSuccess()) {
                    onOpen(done.channel());
                } else {
                    onFailed(BindException.inUse(address, done.cause(), ProxyKeys.BROKER_PORT_BASE));
                    loop.schedule(this::open, pauseMs, TimeUnit.MILLISECONDS);
                    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
                }
            });
        }
    }

    private void onOpen(Channel listener) {
        channel = listener;
        if (closed) {
            listener.close();
        }
        if (obstacle != null) {
            log.info("Port {} of broker {} is open now", number(), nodeId);
            obstacle = null;
        }
        tried.complete(null);
    }

    void onFailed(BindException cause) {
        String failure = "clients are not told of broker " + nodeId + ": " + cause.getMessage();
        if (obstacle == null) {
            log.error("{}", failure);
        }
        obstacle = failure;
        tried.complete(null);
    }

    void close() {
        closed = true;
        if (channel != null) {
            channel.close();
        }
        tried.complete(null);
    }
}
