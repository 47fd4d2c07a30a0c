package io.slipstream.proxy.address;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.slipstream.proxy.config.ProxyConfig;
import io.slipstream.proxy.listener.BrokerListeners;
import io.slipstream.proxy.session.ResponseAdapter;
import io.slipstream.proxy.topology.BrokerEndpoint;
import io.slipstream.proxy.topology.ClusterTopology;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.ObjectSerializationCache;

/** Puts the proxy's host and ports where responses name brokers, and learns the brokers from them. */
public final class BrokerAddressAdapter implements ResponseAdapter {
    private final ProxyConfig config;
    private final ClusterTopology topology;
    private final BrokerListeners listeners;

    public BrokerAddressAdapter(ProxyConfig config, ClusterTopology topology, BrokerListeners listeners) {
        this.config = config;
        this.topology = topology;
        this.listeners = listeners;
    }

    @Override
    public boolean adapts(short apiKey, short apiVersion) {
        return apiKey == ApiKeys.METADATA.id
                || apiKey == ApiKeys.FIND_COORDINATOR.id
                || apiKey == ApiKeys.DESCRIBE_CLUSTER.id;
    }

    @Override
    public Adapted adapt(short apiKey, short apiVersion, ByteBuf payload, ByteBufAllocator allocator) {
        ApiKeys api = ApiKeys.forId(apiKey);
        short headerVersion = api.responseHeaderVersion(apiVersion);
        ByteBufferAccessor readable = new ByteBufferAccessor(payload.nioBuffer());
        ResponseHeaderData header = new ResponseHeaderData(readable, headerVersion);
        if (api == ApiKeys.METADATA) {
            MetadataResponseData response = new MetadataResponseData(readable, apiVersion);
            CompletableFuture<Void> served = topology.learn(
                    response.clusterId(),
                    response.brokers().stream()
                            .map(broker -> new BrokerEndpoint(broker.nodeId(), broker.host(), broker.port()))
                            .toList());
            Supplier<Message> rewrite = () -> {
                response.brokers().forEach(broker -> {
                    broker.setHost(config.advertisedHost());
                    broker.setPort(listeners.portOf(broker.nodeId()));
                });
                return response;
            };
            return finish(served, header, headerVersion, rewrite, apiVersion, allocator);
        }
        if (api == ApiKeys.DESCRIBE_CLUSTER) {
            DescribeClusterResponseData response = new DescribeClusterResponseData(readable, apiVersion);
            List<BrokerEndpoint> brokers = response.brokers().stream()
                    .map(broker -> new BrokerEndpoint(broker.brokerId(), broker.host(), broker.port()))
                    .toList();
            CompletableFuture<Void> served = response.errorCode() == 0 && response.endpointType() == 1
                    ? topology.learn(response.clusterId(), brokers)
                    : null;
            response.brokers().forEach(broker -> {
                broker.setHost(config.advertisedHost());
                broker.setPort(listeners.portOf(broker.brokerId()));
            });
            return finish(served, header, headerVersion, () -> response, apiVersion, allocator);
        }
        FindCoordinatorResponseData response = new FindCoordinatorResponseData(readable, apiVersion);
        if (response.nodeId() >= 0 && !response.host().isEmpty()) {
            response.setHost(config.advertisedHost());
            response.setPort(listeners.portOf(response.nodeId()));
        }
        response.coordinators().stream()
                .filter(c -> c.nodeId() >= 0 && !c.host().isEmpty())
                .forEach(coordinator -> {
                    coordinator.setHost(config.advertisedHost());
                    coordinator.setPort(listeners.portOf(coordinator.nodeId()));
                });
        return finish(null, header, headerVersion, () -> response, apiVersion, allocator);
    }

    private static Adapted finish(
            CompletableFuture<Void> served,
            ResponseHeaderData header,
            short headerVersion,
            Supplier<Message> rewrite,
            short apiVersion,
            ByteBufAllocator allocator) {
        Message body = rewrite.get();
        ObjectSerializationCache cache = new ObjectSerializationCache();
        int size = header.size(cache, headerVersion) + body.size(cache, apiVersion);
        ByteBuf out = allocator.directBuffer(size, size);
        ByteBufferAccessor writable = new ByteBufferAccessor(out.nioBuffer(0, size));
        header.write(writable, cache, headerVersion);
        body.write(writable, cache, apiVersion);
        return new Adapted(out.writerIndex(size), served);
    }
}
