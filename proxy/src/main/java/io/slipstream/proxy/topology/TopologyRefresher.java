package io.slipstream.proxy.topology;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the cluster itself who its brokers are: at start, then every {@code refreshMs}; after a failure again with a pause that doubles
 * from {@value #MIN_PAUSE_MS} ms, spread by chance. It asks without authenticating. A cluster that refuses that is left
 * to tell its brokers to the clients, whose responses are read as well.
 *
 * <p>Confined to its event loop, but for {@link #isReachable} and {@link #obstacle}.
 */
public final class TopologyRefresher {
    private static final Logger log = LoggerFactory.getLogger(TopologyRefresher.class);
    private static final int MIN_PAUSE_MS = 100;
    private static final int MAX_PAUSE_MS = 5_000;

    private final EventLoop eventLoop;
    private final Class<? extends SocketChannel> channel;
    private final ClusterTopology topology;
    private final List<InetSocketAddress> bootstrapServers;
    private final int refreshMs;
    private final int connectTimeoutMs;

    private List<InetSocketAddress> candidates = List.of();
    private int next;
    private int pauseMs = MIN_PAUSE_MS;
    private boolean refusalLogged;
    private boolean stopped;
    private volatile boolean reachable;
    private volatile String obstacle = "the cluster was not asked yet";

    public TopologyRefresher(
            EventLoop eventLoop,
            Class<? extends SocketChannel> channel,
            ClusterTopology topology,
            List<InetSocketAddress> bootstrapServers,
            int refreshMs,
            int connectTimeoutMs) {
        this.eventLoop = eventLoop;
        this.channel = channel;
        this.topology = topology;
        this.bootstrapServers = bootstrapServers;
        this.refreshMs = refreshMs;
        this.connectTimeoutMs = connectTimeoutMs;
    }

    public void start() {
        eventLoop.execute(this::refresh);
    }

    public void stop() {
        eventLoop.execute(() -> stopped = true);
    }

    /** Whether a broker accepted a connection when it was last asked, and its brokers' ports are open. */
    public boolean isReachable() {
        return reachable;
    }

    /** Why {@link #isReachable} is false. */
    public String obstacle() {
        return obstacle;
    }

    private void refresh() {
        if (stopped) {
            return;
        }
        candidates = new ArrayList<>(bootstrapServers);
        for (BrokerEndpoint broker : topology.brokers()) {
            candidates.add(InetSocketAddress.createUnresolved(broker.host(), broker.port()));
        }
        next = 0;
        ask();
    }

    private void ask() {
        InetSocketAddress address = candidates.get(next++);
        MetadataProbe probe = new MetadataProbe(connectTimeoutMs);
        new Bootstrap()
                .group(eventLoop)
                .channel(channel)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, connectTimeoutMs)
                .handler(probe)
                .connect(address)
                .addListener((ChannelFuture connected) -> {
                    if (!connected.isSuccess()) {
                        onUnreachable(address, connected.cause());
                    }
                });
        probe.answer().whenComplete((brokers, failure) -> {
            if (failure == null) {
                onBrokers(brokers);
            } else if (probe.wasConnected()) {
                onRefused(address, failure);
            }
        });
    }

    private void onBrokers(MetadataProbe.Brokers brokers) {
        var served = topology.learnAll(brokers.clusterId(), brokers.endpoints());
        topology.expire();
        pauseMs = MIN_PAUSE_MS;
        if (served == null) {
            succeed();
            return;
        }
        served.whenComplete((done, failure) -> eventLoop.execute(() -> {
            if (failure == null) {
                succeed();
            } else {
                fail("not every broker can be served: " + failure.getMessage());
            }
        }));
    }

    private void succeed() {
        if (!reachable) {
            log.info("Cluster {} is reached; brokers {}", topology.clusterId(), topology.brokers());
        }
        reachable = true;
        again(refreshMs);
    }

    /** Connected, but no answer: most likely the listener wants clients to authenticate or to speak TLS. */
    private void onRefused(InetSocketAddress address, Throwable failure) {
        if (!refusalLogged) {
            refusalLogged = true;
            log.info(
                    "{} does not list its brokers to the proxy itself ({}); they are learned from clients' responses",
                    address,
                    failure.getMessage());
        }
        reachable = true;
        again(refreshMs);
    }

    private void onUnreachable(InetSocketAddress address, Throwable cause) {
        if (next < candidates.size() && !stopped) {
            ask();
            return;
        }
        fail("no broker can be reached at bootstrap.servers " + bootstrapServers + ", last " + address + ": "
                + cause.getMessage());
    }

    private void fail(String reason) {
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
