// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.topology;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.Future;
import io.slipstream.link.net.NameLookups;
import io.slipstream.link.net.TlsFailure;
import io.slipstream.proxy.config.ProxyConfig;
import io.slipstream.proxy.config.ProxyKeys;
import io.slipstream.proxy.tls.Encryption;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests the list of brokers from the cluster: at start, then every {@code refreshMs}. After a failure it retries
 * after a pause that doubles from {@value #MIN_PAUSE_MS} ms, with random jitter. It does not authenticate. If the
 * cluster refuses that, or requires SASL, the proxy learns the brokers from the responses to clients only. The
 * refresher still checks whether a broker serves.
 *
 * <p>Confined to its event loop, except {@link #isReachable} and {@link #obstacle}.
 */
public final class TopologyRefresher {
    private static final Logger log = LoggerFactory.getLogger(TopologyRefresher.class);
    private static final int MIN_PAUSE_MS = 100;
    private static final int MAX_PAUSE_MS = 5_000;

    private final EventLoop eventLoop;
    private final Class<? extends SocketChannel> channel;
    private final ClusterTopology topology;
    private final ProxyConfig config;
    private final Encryption encryption;
    private final NameLookups names;

    private List<InetSocketAddress> candidates = List.of();
    private int next;
    private int pauseMs = MIN_PAUSE_MS;
    private boolean refusalLogged;
    private boolean stopped;
    private volatile boolean reachable;
    private volatile String obstacle = "the cluster has not been contacted yet";

    public TopologyRefresher(
            EventLoop eventLoop,
            Class<? extends SocketChannel> channel,
            ClusterTopology topology,
            ProxyConfig config,
            Encryption encryption,
            NameLookups names) {
        this.eventLoop = eventLoop;
        this.channel = channel;
        this.topology = topology;
        this.config = config;
        this.encryption = encryption;
        this.names = names;
    }

    public void start() {
        eventLoop.execute(this::refresh);
    }

    public void stop() {
        eventLoop.execute(() -> stopped = true);
    }

    /** Whether the last request reached a broker. */
    public boolean isReachable() {
        return reachable;
    }

    /** Reason why {@link #isReachable} is false. */
    public String obstacle() {
        return obstacle;
    }

    private void refresh() {
        if (stopped) {
            return;
        }
        // Clients' lists count, too: a cluster that asks for SASL lists nothing to the proxy itself.
        topology.expire();
        candidates = new ArrayList<>(config.bootstrapServers);
        for (BrokerEndpoint broker : topology.brokers()) {
            candidates.add(InetSocketAddress.createUnresolved(broker.host(), broker.port()));
        }
        next = 0;
        ask();
    }

    private void ask() {
        InetSocketAddress address = candidates.get(next++);
        if (address.isUnresolved()) {
            resolve(address);
            return;
        }
        MetadataProbe probe = new MetadataProbe(
                config.getInt(ProxyKeys.CONNECT_TIMEOUT_MS),
                config.brokersAskForSasl(),
                encryption.isTowardsBrokers() ? encryption.towardsBroker(address) : null);
        new Bootstrap()
                .group(eventLoop)
                .channel(channel)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, config.getInt(ProxyKeys.CONNECT_TIMEOUT_MS))
                .handler(probe)
                .connect(address)
                .addListener((ChannelFuture connected) -> {
                    if (!connected.isSuccess()) {
                        onUnreachable(address, connected.cause());
                    }
                });
        probe.answer.whenComplete((brokers, failure) -> {
            if (failure == null) {
                onBrokers(brokers);
            } else if (TlsFailure.isCauseOf(failure)) {
                onTlsFailed(address, failure);
            } else if (probe.connected) {
                onRefused(address, failure);
            }
        });
    }

    /** All addresses of the name come next. */
    private void resolve(InetSocketAddress name) {
        names.addressesOf(name, eventLoop, config.getInt(ProxyKeys.CONNECT_TIMEOUT_MS))
                .addListener((Future<List<InetSocketAddress>> found) -> {
                    if (found.isSuccess()) {
                        candidates.addAll(next, found.getNow());
                        ask();
                    } else {
                        onUnreachable(name, found.cause());
                    }
                });
    }

    private void onBrokers(MetadataProbe.Brokers brokers) {
        var served = config.brokersAskForSasl() ? null : topology.learnAll(brokers.clusterId(), brokers.endpoints());
        pauseMs = MIN_PAUSE_MS;
        if (served == null) {
            succeed();
        } else {
            served.thenRun(() -> eventLoop.execute(this::succeed));
        }
    }

    private void succeed() {
        if (!reachable && config.brokersAskForSasl()) {
            log.info("The cluster is reachable; its brokers are learned from the responses to authenticated clients");
        } else if (!reachable) {
            log.info("Cluster {} is reachable; brokers {}", topology.clusterId(), topology.brokers());
        }
        reachable = true;
        again(config.getInt(ProxyKeys.METADATA_REFRESH_MS));
    }

    /** Connected, but no answer: most likely the listener requires authentication or TLS. */
    private void onRefused(InetSocketAddress address, Throwable failure) {
        if (encryption.isTowardsBrokers()) {
            // With TLS 1.3 a missing certificate is reported after the handshake, and a reset can overtake the report.
            onTlsFailed(
                    address,
                    new IOException(
                            "closed after the handshake (" + failure.getMessage()
                                    + "): it may require a client certificate (ssl.keystore.*) or another security.protocol",
                            failure));
            return;
        }
        if (!refusalLogged) {
            refusalLogged = true;
            log.info(
                    "{} does not list its brokers to the proxy itself ({}); they are learned from clients' responses",
                    address,
                    failure.getMessage());
        }
        reachable = true;
        again(config.getInt(ProxyKeys.METADATA_REFRESH_MS));
    }

    /** Clients would fail in the same way. */
    private void onTlsFailed(InetSocketAddress address, Throwable cause) {
        askNext("no broker can be reached by TLS (security.protocol=" + config.securityProtocol() + "), last " + address
                + ": " + cause.getMessage());
    }

    private void onUnreachable(InetSocketAddress address, Throwable cause) {
        askNext("no broker can be reached at bootstrap.servers " + config.bootstrapServers + ", last " + address + ": "
                + cause.getMessage());
    }

    /** Asks the next candidate; without one, the refresh has failed for that reason. */
    private void askNext(String reason) {
        if (next < candidates.size() && !stopped) {
            ask();
            return;
        }
        if (reachable || !reason.equals(obstacle)) {
            log.warn("{}; trying again", reason);
        }
        obstacle = reason;
        reachable = false;
        again(pauseMs / 2 + ThreadLocalRandom.current().nextInt(pauseMs));
        pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
    }

    private void again(long delayMs) {
        if (!stopped) {
            eventLoop.schedule(this::refresh, delayMs, TimeUnit.MILLISECONDS);
        }
    }
}
