// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka.server;

import io.slipstream.broker.config.PluginConfig;
import io.slipstream.broker.fetch.ReadsConfig;
import io.slipstream.broker.fetch.SlotReads;
import io.slipstream.broker.hook.BrokerAdvice;
import io.slipstream.broker.hook.HookInstaller;
import io.slipstream.broker.hook.HookPoint;
import io.slipstream.broker.kafka.BrokerHandle;
import io.slipstream.broker.kafka.KafkaLine;
import io.slipstream.broker.kafka.RequestHandlers;
import io.slipstream.broker.kafka.reads.KafkaPartitionLogs;
import io.slipstream.broker.kafka.reads.KafkaReadAccounts;
import io.slipstream.broker.kafka.reads.ReadHooks;
import io.slipstream.broker.kafka.transactions.AddPartitionsAdvice;
import io.slipstream.broker.metrics.BrokerGauges;
import io.slipstream.broker.metrics.PluginMeters;
import io.slipstream.broker.ring.RingThread;
import io.slipstream.broker.session.ObservedChannel;
import io.slipstream.broker.session.ObservedConnection;
import io.slipstream.replication.Replication;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import kafka.server.BrokerServer;
import kafka.server.DynamicBrokerConfig;
import kafka.server.KafkaApis;
import kafka.server.KafkaConfig;
import org.apache.kafka.common.Reconfigurable;
import org.apache.kafka.common.network.KafkaChannel;
import org.apache.kafka.network.SocketServerConfigs;
import org.apache.kafka.server.config.ServerConfigs;

/** The Kafka line of any supported version. The code is the same for all lines, except {@link BrokerVersion}. */
public final class ServerLine implements KafkaLine {
    private final BrokerVersion version;
    /** Set before the plugin serves, because no class of the broker may be loaded earlier. */
    private volatile ChannelAuthentications channels;

    private final AtomicReference<KafkaApis> twin = new AtomicReference<>();

    public ServerLine(BrokerVersion version) {
        this.version = version;
    }

    @Override
    public String name() {
        return version.line;
    }

    @Override
    public boolean supports(String brokerVersion) {
        return brokerVersion.equals(name()) || brokerVersion.startsWith(name() + ".");
    }

    @Override
    public List<HookPoint> hooks() {
        List<HookPoint> hooks = new ArrayList<>(List.of(
                new HookPoint(BrokerAdvice.Started.class, "kafka.server.BrokerServer", "startup"),
                new HookPoint(BrokerAdvice.Stopping.class, "kafka.network.SocketServer", "stopProcessingRequests"),
                new HookPoint(
                        BrokerAdvice.ApiVersions.class,
                        "kafka.server.KafkaApis",
                        "handleApiVersionsRequest",
                        version.requestClass),
                new HookPoint(
                        BrokerAdvice.Received.class,
                        "org.apache.kafka.common.network.KafkaChannel",
                        "serverAuthenticationSessionExpired",
                        "long"),
                // All network threads of the broker call this listener when a connection ends.
                new HookPoint(
                        BrokerAdvice.Disconnected.class,
                        "org.apache.kafka.server.ClientMetricsManager$ClientConnectionDisconnectListener",
                        "onDisconnect",
                        "java.lang.String"),
                AddPartitionsAdvice.hook()));
        hooks.addAll(ReadHooks.of(version.abortedTransactionClass, version.closeMethod));
        return hooks;
    }

    @Override
    public Map<String, Object> originals(Object brokerServer) {
        return ((BrokerServer) brokerServer).config().originals();
    }

    @Override
    public Runnable follow(
            Object brokerServer,
            Set<String> keys,
            Consumer<Map<String, Object>> check,
            Consumer<Map<String, Object>> altered) {
        DynamicBrokerConfig settings = ((BrokerServer) brokerServer).config().dynamicConfig();
        Reconfigurable follower = AlteredKeys.of(keys, () -> originals(brokerServer), check, altered);
        settings.addReconfigurable(follower);
        return () -> settings.removeReconfigurable(follower);
    }

    @Override
    public boolean isServerOf(Object brokerServer, Object socketServer) {
        return ((BrokerServer) brokerServer).socketServer() == socketServer;
    }

    @Override
    public BrokerHandle describe(Object brokerServer, Map<String, Object> originals) {
        BrokerServer server = (BrokerServer) brokerServer;
        channels = ChannelAuthentications.resolve();
        KafkaConfig config = server.config();
        return new BrokerHandle(
                server,
                server.dataPlaneRequestProcessor(),
                server.clusterId(),
                config.nodeId(),
                new SecureRandom().nextLong(),
                config.getInt(SocketServerConfigs.SOCKET_REQUEST_MAX_BYTES_CONFIG),
                config.getInt(ServerConfigs.FETCH_MAX_BYTES_CONFIG),
                config.replicaSelectorClassName().isDefined(),
                config.logDirs().stream().map(Path::of).toList(),
                PluginConfig.of(originals));
    }

    @Override
    public ObservedConnection observe(Object request) {
        return ApiVersionsObserver.observe(version, request);
    }

    @Override
    public ObservedChannel observeChannel(Object channel) {
        return channels.observe((KafkaChannel) channel);
    }

    @Override
    public RequestHandlers requestHandlers(BrokerHandle broker, PluginMeters meters, List<RingThread> threads) {
        return new RingRequestHandlers(version, broker, meters, threads, twin);
    }

    @Override
    public AutoCloseable replicate(BrokerHandle broker, HookInstaller hooks, PluginMeters meters) {
        return Replication.start(broker, hooks, meters);
    }

    /** This also removes a gauge that the broker's own KafkaApis shares, so it waits for the broker's shutdown. */
    @Override
    public void release() {
        KafkaApis apis = twin.getAndSet(null);
        if (apis != null) {
            apis.close();
        }
    }

    @Override
    public BrokerGauges gauges() {
        return new BrokerMeters();
    }

    @Override
    public SlotReads readableLogs(BrokerHandle broker, ReadsConfig bounds) {
        KafkaApis apis = (KafkaApis) broker.kafkaApis();
        return new SlotReads(
                bounds,
                new KafkaPartitionLogs(apis, version::aborted),
                new KafkaReadAccounts(apis, version.fetchQuotas(apis)));
    }
}
