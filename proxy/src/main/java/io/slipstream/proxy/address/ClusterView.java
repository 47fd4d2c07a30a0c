// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.address;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.FastThreadLocal;
import io.slipstream.protocol.address.AddressMap;
import io.slipstream.protocol.address.ApiVersionsIntersection;
import io.slipstream.protocol.address.ResponseRewriter;
import io.slipstream.protocol.address.Topology;
import io.slipstream.proxy.buffer.PooledMemory;
import io.slipstream.proxy.config.ProxyConfig;
import io.slipstream.proxy.listener.BrokerListeners;
import io.slipstream.proxy.session.ResponseAdapter;
import io.slipstream.proxy.topology.BrokerEndpoint;
import io.slipstream.proxy.topology.ClusterTopology;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * The cluster as clients see it: brokers at the proxy's host and ports, and no API or version that the proxy does not
 * know. The brokers that a response names are learned before it is rewritten; those whose port the proxy does not hold
 * are taken out. Thread-safe: each thread has its own rewriter.
 */
public final class ClusterView implements ResponseAdapter {
    private final ProxyConfig config;
    private final ClusterTopology topology;
    private final BrokerListeners listeners;
    private final FastThreadLocal<Rewriting> rewritings = new FastThreadLocal<>() {
        @Override
        protected Rewriting initialValue() {
            return new Rewriting();
        }
    };

    public ClusterView(ProxyConfig config, ClusterTopology topology, BrokerListeners listeners) {
        this.config = config;
        this.topology = topology;
        this.listeners = listeners;
    }

    @Override
    public boolean adapts(short apiKey, short apiVersion) {
        return apiKey == ApiKeys.API_VERSIONS.id || ResponseRewriter.isRewritten(apiKey, apiVersion);
    }

    @Override
    public Adapted adapt(short apiKey, short apiVersion, ByteBuf payload, Channel client) {
        Rewriting rewriting = rewritings.get();
        ByteBuffer response = PooledMemory.view(payload);
        rewriting.served = null;
        rewriting.local = client.localAddress();
        ByteBuffer rewritten = apiKey == ApiKeys.API_VERSIONS.id
                ? ApiVersionsIntersection.intersect(response, apiVersion)
                : rewriting.addresses.rewrite(response, apiKey, apiVersion);
        if (rewritten == response && rewriting.served == null) {
            return Adapted.UNCHANGED;
        }
        ByteBuf replacement = rewritten == response
                ? null
                : client.alloc().directBuffer(rewritten.remaining()).writeBytes(rewritten);
        return new Adapted(replacement, rewriting.served);
    }

    /** The state of one thread's rewriter. */
    private final class Rewriting implements AddressMap {
        final ResponseRewriter addresses = new ResponseRewriter(this);
        /** Not null if the current response named a broker whose port is not open yet. */
        CompletableFuture<Void> served;
        /** The address by which the client came. */
        SocketAddress local;

        @Override
        public void learn(Topology seen) {
            List<BrokerEndpoint> endpoints = seen.brokers().stream()
                    .map(broker -> new BrokerEndpoint(broker.nodeId(), broker.host(), broker.port()))
                    .toList();
            served = seen.complete() ? topology.learnAll(seen.clusterId(), endpoints) : topology.learnSome(endpoints);
        }

        @Override
        public String host(int nodeId) {
            return config.advertisesOwnAddress()
                    ? NetUtil.toAddressString(((InetSocketAddress) local).getAddress())
                    : config.advertisedHost();
        }

        @Override
        public int port(int nodeId) {
            return listeners.portOf(nodeId);
        }
    }
}
