// SPDX-License-Identifier: Apache-2.0
package io.slipstream.replication;

import io.slipstream.broker.config.TopicSet;
import io.slipstream.broker.hook.HookInstaller;
import io.slipstream.broker.kafka.BrokerHandle;
import io.slipstream.broker.metrics.PluginMeters;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import kafka.server.AbstractFetcherThread;
import kafka.server.BlockingSend;
import kafka.server.FetcherLagStats;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.server.network.BrokerEndPoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replication by RDMA at one broker: a {@link Fetcher} for each of Kafka's senders of fetches, and the links to their
 * leaders. Fetcher threads call {@link #send}; Kafka's own threads close senders; the plugin starts and closes it.
 */
public final class Replication implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Replication.class);

    private final int nodeId;
    private final TopicSet excluded;
    private final LeaderLinks links;
    private final ReplicationMeters meters;
    /** By Kafka's sender, until that is closed. */
    private final Map<Object, Fetcher> fetchers = new ConcurrentHashMap<>();

    private final HookInstaller hooks = new SenderHooks();

    private static final class SenderHooks extends HookInstaller {
        SenderHooks() {
            super(ReplicationHooks.ALL);
        }

        /** Fetcher threads are nearly always in a hooked method. A call in progress goes on without the hook. */
        @Override
        protected String occupied() {
            return null;
        }
    }

    private Replication(BrokerHandle broker, PluginMeters meters) {
        this.nodeId = broker.nodeId();
        this.excluded = broker.config().exclusions().topics();
        this.meters = new ReplicationMeters(meters.registry);
        this.links = new LeaderLinks(broker, this.meters);
    }

    /**
     * Starts it. If a hook does not match this broker, logs why, and followers fetch over TCP.
     *
     * @param installed the plugin's hooks, to which those of replication are added until the result is closed
     */
    public static AutoCloseable start(BrokerHandle broker, HookInstaller installed, PluginMeters meters) {
        Replication replication;
        try {
            replication = new Replication(broker, meters);
        } catch (RuntimeException | LinkageError e) {
            log.error("Followers of broker {} fetch over TCP", broker.nodeId(), e);
            return () -> {};
        }
        ReplicationHooks.use(replication);
        installed.weaveAlso(replication.hooks);
        String mismatch = replication.hooks.verify();
        if (mismatch == null) {
            log.info("Followers of broker {} fetch by RDMA from leaders whose plugins offer it", broker.nodeId());
        } else {
            log.error("Followers of broker {} fetch over TCP: {}", broker.nodeId(), mismatch);
            replication.close();
        }
        return replication;
    }

    /** A fetcher's thread. Returns null if Kafka's own sender must send the request. */
    Object send(Object sender, int fetcherId, Object builder) {
        if (!(builder instanceof FetchRequest.Builder fetch)) {
            return null;
        }
        Fetcher fetcher = fetchers.get(sender);
        if (fetcher == null) {
            fetcher = fetchers.computeIfAbsent(sender, one -> fetcher((BlockingSend) one, fetcherId));
        }
        return fetcher.send(fetch);
    }

    /** That fetcher's thread. */
    private Fetcher fetcher(BlockingSend sender, int fetcherId) {
        BrokerEndPoint leader = sender.brokerEndPoint();
        LeaderLinks.Leader link = links.to(leader.id(), leader.host());
        LeaderSession session =
                new LeaderSession(link.loop(), link.link(), sender::sendRequest, leader.id(), fetcherId);
        FetcherLagStats lags =
                Thread.currentThread() instanceof AbstractFetcherThread thread ? thread.fetcherLagStats() : null;
        return new Fetcher(session, "broker-" + nodeId + "-fetcher-" + fetcherId, excluded, lags, meters);
    }

    /** Any thread: ends the fetch that is in progress. */
    void closing(Object sender) {
        Fetcher fetcher = fetchers.get(sender);
        if (fetcher != null) {
            fetcher.close();
        }
    }

    void closed(Object sender) {
        Fetcher fetcher = fetchers.remove(sender);
        if (fetcher != null) {
            fetcher.close();
        }
    }

    /** Fetches in progress go on over TCP. Idempotent. */
    @Override
    public void close() {
        ReplicationHooks.use(null);
        fetchers.values().forEach(Fetcher::close);
        String failure = hooks.remove();
        if (failure != null) {
            log.warn("Hooks of replication could not be removed; they have no effect: {}", failure);
        }
        links.close();
    }
}
