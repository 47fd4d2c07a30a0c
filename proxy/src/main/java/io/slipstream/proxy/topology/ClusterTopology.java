// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.topology;

import io.slipstream.link.meter.Meter;
import io.slipstream.metrics.MeterRegistry;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The brokers of the cluster as known to the proxy, from its own Metadata requests and from all responses to clients
 * that list brokers. A broker that no list names for {@code expiryNs}, while lists keep coming, is removed. The delay
 * is necessary because brokers' views differ briefly when a broker joins or leaves.
 *
 * <p>Thread-safe. Learning known brokers again takes no lock.
 */
public final class ClusterTopology {
    private static final Logger log = LoggerFactory.getLogger(ClusterTopology.class);

    /** Observes brokers that are added, moved and removed. Called under the topology's lock; must not block. */
    public interface Observer {
        /** @return completes when clients can reach that broker here, or when its port could not be opened */
        CompletableFuture<Void> onBroker(BrokerEndpoint broker);

        void onBrokerGone(int nodeId);

        /** After each change; the id is null while unknown. */
        default void onChanged(String clusterId, List<BrokerEndpoint> brokers) {}
    }

    /** A broker, the time when it was last listed, and whether an attempt to serve it has ended. */
    private static final class Known {
        final BrokerEndpoint endpoint;
        final CompletableFuture<Void> served;
        volatile long lastListedNs;

        Known(BrokerEndpoint endpoint, CompletableFuture<Void> served, long nowNs) {
            this.endpoint = endpoint;
            this.served = served;
            this.lastListedNs = nowNs;
        }
    }

    private final Observer observer;
    private final long expiryNs;
    private volatile Map<Integer, Known> brokers = Map.of();
    private volatile String clusterId;
    private volatile long lastListNs;

    public ClusterTopology(Observer observer, long expiryNs, MeterRegistry meters) {
        this.observer = observer;
        this.expiryNs = expiryNs;
        meters.supply(() -> brokers.size(), Meter.BROKERS);
    }

    /** Null while unknown. */
    public String clusterId() {
        return clusterId;
    }

    /** Null if the id is unknown. */
    public BrokerEndpoint broker(int nodeId) {
        Known known = brokers.get(nodeId);
        return known == null ? null : known.endpoint;
    }

    public List<BrokerEndpoint> brokers() {
        return brokers.values().stream().map(known -> known.endpoint).toList();
    }

    /** Node id of the broker that advertises exactly this address, or -1. */
    public int nodeAt(String host, int port) {
        for (Known known : brokers.values()) {
            if (known.endpoint.port() == port && known.endpoint.host().equals(host)) {
                return known.endpoint.nodeId();
            }
        }
        return -1;
    }

    /**
     * Learns a list of all brokers.
     *
     * @param id the cluster's id, or null if the list did not state it
     * @return null if nothing is to be waited for; else completes when each is served or cannot be
     */
    public CompletableFuture<Void> learnAll(String id, Collection<BrokerEndpoint> listed) {
        lastListNs = System.nanoTime();
        if (id != null && !id.equals(clusterId)) {
            learnClusterId(id);
        }
        return learnSome(listed);
    }

    /** Learns a list of some brokers, which does not affect other brokers; same result as {@link #learnAll}. */
    public CompletableFuture<Void> learnSome(Collection<BrokerEndpoint> listed) {
        long nowNs = System.nanoTime();
        boolean changed = false;
        for (BrokerEndpoint endpoint : listed) {
            Known known = brokers.get(endpoint.nodeId());
            if (known != null && known.endpoint.equals(endpoint) && known.served.isDone()) {
                known.lastListedNs = nowNs;
            } else {
                changed = true;
            }
        }
        return changed ? update(listed, nowNs) : null;
    }

    private synchronized void learnClusterId(String id) {
        if (clusterId != null && !clusterId.equals(id)) {
            log.warn("The cluster's id changed from {} to {}", clusterId, id);
        }
        clusterId = id;
        observer.onChanged(clusterId, brokers());
    }

    private synchronized CompletableFuture<Void> update(Collection<BrokerEndpoint> listed, long nowNs) {
        Map<Integer, Known> updated = new HashMap<>(brokers);
        CompletableFuture<?>[] served = listed.stream()
                .map(endpoint ->
                        updated.compute(endpoint.nodeId(), (id, known) -> follow(known, endpoint, nowNs)).served)
                .toArray(CompletableFuture<?>[]::new);
        brokers = Map.copyOf(updated);
        observer.onChanged(clusterId, brokers());
        return CompletableFuture.allOf(served);
    }

    private Known follow(Known known, BrokerEndpoint endpoint, long nowNs) {
        if (known != null && known.endpoint.equals(endpoint)) {
            known.lastListedNs = nowNs;
            return known;
        }
        if (known == null) {
            log.info("Serving {}", endpoint);
        } else if (!known.endpoint.equals(endpoint)) {
            log.info("{} moved from {}:{}", endpoint, known.endpoint.host(), known.endpoint.port());
        }
        return new Known(endpoint, observer.onBroker(endpoint), nowNs);
    }

    /** Removes brokers that have not been listed for too long. */
    public synchronized void expire() {
        Map<Integer, Known> remaining = new HashMap<>(brokers);
        remaining.values().removeIf(known -> {
            boolean expired = lastListNs - known.lastListedNs > expiryNs;
            if (expired) {
                log.info("{} is no longer in the cluster", known.endpoint);
                observer.onBrokerGone(known.endpoint.nodeId());
            }
            return expired;
        });
        if (remaining.size() != brokers.size()) {
            brokers = Map.copyOf(remaining);
            observer.onChanged(clusterId, brokers());
        }
    }
}
