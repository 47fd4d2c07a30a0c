// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.tls;

import io.netty.channel.Channel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.slipstream.protocol.tls.TlsEngines;
import io.slipstream.proxy.config.ProxyConfig;
import io.slipstream.proxy.config.ProxyKeys;
import io.slipstream.proxy.config.TlsKeys;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLPeerUnverifiedException;

/**
 * TLS on each side of the proxy. Two threads of its own do the slow work, so that it does not delay event loops: the
 * computations of handshakes, and once per second a check whether key and trust stores were replaced. Without TLS these
 * threads do not exist. Thread-safe.
 */
public final class Encryption implements AutoCloseable {
    /** Name of the handler in pipelines. */
    public static final String HANDLER = "tls";

    private static final int THREADS = 2;
    private static final long RELOAD_SECONDS = 1;

    /** Null for a side without TLS. */
    private final TlsEngines brokers;

    private final TlsEngines clients;
    private final TlsEngines plugins;
    private final List<TlsEngines> sides;
    private final int handshakeTimeoutMs;
    private final ScheduledThreadPoolExecutor tasks;

    /** @throws org.apache.kafka.common.config.ConfigException naming the key, if key or trust stores cannot be used */
    public Encryption(ProxyConfig config) {
        brokers = engines(TlsKeys.BROKERS, config.brokerTls);
        clients = engines(TlsKeys.CLIENTS, config.clientTls);
        plugins = engines(TlsKeys.PLUGINS, config.pluginTls);
        handshakeTimeoutMs = config.getInt(ProxyKeys.TLS_HANDSHAKE_TIMEOUT_MS);
        sides = Stream.of(brokers, clients, plugins).filter(Objects::nonNull).toList();
        tasks = sides.isEmpty() ? null : start();
    }

    private static TlsEngines engines(TlsKeys keys, Map<String, Object> values) {
        return values == null ? null : new TlsEngines(keys.definition, values);
    }

    private ScheduledThreadPoolExecutor start() {
        ScheduledThreadPoolExecutor started =
                new ScheduledThreadPoolExecutor(THREADS, new DefaultThreadFactory("slipstream-tls", true));
        started.scheduleWithFixedDelay(
                () -> sides.forEach(TlsEngines::reload), RELOAD_SECONDS, RELOAD_SECONDS, TimeUnit.SECONDS);
        return started;
    }

    public boolean isTowardsBrokers() {
        return brokers != null;
    }

    public boolean isTowardsClients() {
        return clients != null;
    }

    /**
     * A handler for a new connection to that broker; only if {@link #isTowardsBrokers}. The handshake starts when the
     * channel is active.
     */
    public SslHandler towardsBroker(InetSocketAddress broker) {
        return handler(brokers.towardsServer(broker.getHostString(), broker.getPort()));
    }

    /** A handler for an accepted client; only if {@link #isTowardsClients}. */
    public SslHandler towardsClient(Channel client) {
        InetSocketAddress address = (InetSocketAddress) client.remoteAddress();
        return handler(clients.towardsClient(address.getHostString(), address.getPort()));
    }

    public boolean isTowardsPlugins() {
        return plugins != null;
    }

    /** A handler for a new control connection over TCP; only if {@link #isTowardsPlugins}. */
    public SslHandler towardsPlugin(InetSocketAddress plugin) {
        return handler(plugins.towardsServer(plugin.getHostString(), plugin.getPort()));
    }

    /** Principal of the certificate that the peer presented; empty if it presented none. */
    public static String principalOf(Channel channel) {
        SslHandler handler = (SslHandler) channel.pipeline().get(HANDLER);
        try {
            return handler == null
                    ? ""
                    : handler.engine().getSession().getPeerPrincipal().getName();
        } catch (SSLPeerUnverifiedException none) {
            return "";
        }
    }

    private SslHandler handler(SSLEngine engine) {
        SslHandler handler = new SslHandler(engine, tasks);
        handler.setHandshakeTimeoutMillis(handshakeTimeoutMs);
        return handler;
    }

    /**
     * Reads all stores now, changed or not, and uses those that can be read.
     *
     * @return the outcome, one line per side; empty without TLS
     */
    public CompletableFuture<Reload> reload() {
        if (tasks == null) {
            return CompletableFuture.completedFuture(new Reload(true, ""));
        }
        return CompletableFuture.supplyAsync(
                () -> {
                    StringBuilder lines = new StringBuilder();
                    boolean good = true;
                    for (TlsEngines side : sides) {
                        String failure = side.readAgain();
                        good &= failure == null;
                        lines.append(
                                        failure == null
                                                ? side + ": reloaded"
                                                : failure + "; the previous stores stay in use")
                                .append('\n');
                    }
                    return new Reload(good, lines.toString());
                },
                tasks);
    }

    /** @param succeeded whether all stores could be read */
    public record Reload(boolean succeeded, String lines) {}

    /** Call it after the last connection was closed. */
    @Override
    public void close() {
        if (tasks != null) {
            tasks.shutdownNow();
        }
    }
}
