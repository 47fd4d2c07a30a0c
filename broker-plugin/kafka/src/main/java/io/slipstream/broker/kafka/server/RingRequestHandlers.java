// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka.server;

import com.yammer.metrics.core.Meter;
import io.slipstream.broker.config.TopicSet;
import io.slipstream.broker.kafka.BrokerHandle;
import io.slipstream.broker.kafka.RequestHandlers;
import io.slipstream.broker.kafka.transactions.OwnCoordinator;
import io.slipstream.broker.metrics.PluginMeters;
import io.slipstream.broker.ring.RingHandler;
import io.slipstream.broker.ring.RingThread;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import kafka.network.RequestChannel;
import kafka.server.BrokerServer;
import kafka.server.KafkaApis;
import kafka.server.KafkaRequestHandler;
import kafka.server.builders.KafkaApisBuilder;
import org.apache.kafka.coordinator.transaction.AddPartitionsToTxnConfig;
import org.apache.kafka.network.metrics.RequestChannelMetrics;
import org.apache.kafka.server.metrics.KafkaMetricsGroup;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.jdk.javaapi.OptionConverters;

/**
 * Stock request handlers on a second {@link KafkaApis}, which shares all objects with the broker's own, except the
 * request channel. One KafkaApis serves all threads, as in the broker: a response finds its ring through its request.
 */
final class RingRequestHandlers implements RequestHandlers {
    private static final Logger log = LoggerFactory.getLogger(RingRequestHandlers.class);
    private static final long STOP_NS = TimeUnit.SECONDS.toNanos(5);
    private static final String IDLE_METER = "RingHandlerAvgIdlePercent";

    private final BrokerVersion version;
    private final BrokerHandle broker;
    private final PluginMeters meters;
    private final List<RingThread> ringThreads;
    private final KafkaMetricsGroup metrics = new KafkaMetricsGroup("io.slipstream.broker", "RequestHandlers");
    private final List<RequestChannel> channels = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicReference<KafkaApis> twin;
    private final AtomicBoolean allLeftToTcp = new AtomicBoolean();

    /** @param twin the second KafkaApis, made by the first handlers of the broker and shared by all later ones */
    RingRequestHandlers(
            BrokerVersion version,
            BrokerHandle broker,
            PluginMeters meters,
            List<RingThread> ringThreads,
            AtomicReference<KafkaApis> twin) {
        this.version = version;
        this.broker = broker;
        this.meters = meters;
        this.ringThreads = ringThreads;
        this.twin = twin;
    }

    @Override
    public void start() {
        BrokerServer server = (BrokerServer) broker.brokerServer();
        KafkaApis stock = (KafkaApis) broker.kafkaApis();
        RequestChannelMetrics requestMetrics = stock.requestChannel().metrics();
        TopicSet topics = broker.config().exclusions().topics();
        RingRequests requests = new RingRequests(
                version,
                stock.apiVersionManager(),
                requestMetrics,
                stock.metadataCache(),
                topics.isEmpty() ? null : topics,
                allLeftToTcp);
        List<RingHandler> handlers = new ArrayList<>();
        int handlersOfRing = 1 + server.config().numIoThreads();
        for (RingThread ringThread : ringThreads) {
            for (int i = 0; i < handlersOfRing; i++) {
                RingHandler handler = new RingHandler(ringThread);
                handlers.add(handler);
                RequestIntake intake = new RequestIntake(ringThread, handler, requests);
                channels.add(version.requestChannel(intake, server.time(), requestMetrics));
            }
        }
        if (twin.get() == null) {
            twin.set(twin(server, stock, channels.get(0)));
        }
        OwnCoordinator coordinator = new OwnCoordinator(
                stock.txnCoordinator(),
                stock.metadataCache(),
                server.kafkaScheduler(),
                new AddPartitionsToTxnConfig(stock.config()),
                meters);
        Meter idleMeter = metrics.newMeter(IDLE_METER, "percent", TimeUnit.NANOSECONDS);
        AtomicInteger threadCount = new AtomicInteger(handlers.size());
        for (int i = 0; i < handlers.size(); i++) {
            KafkaRequestHandler requestHandler = new KafkaRequestHandler(
                    i,
                    broker.nodeId(),
                    idleMeter,
                    threadCount,
                    idleMeter,
                    threadCount,
                    channels.get(i),
                    twin.get(),
                    server.time(),
                    "broker");
            RingHandler handler = handlers.get(i);
            Thread thread = new Thread(
                    () -> {
                        coordinator.serveThread();
                        requestHandler.run();
                        handler.close();
                    },
                    "slipstream-request-handler-" + i / handlersOfRing + "-" + i % handlersOfRing);
            thread.setDaemon(true);
            thread.setUncaughtExceptionHandler((dead, e) -> log.error("Uncaught exception in {}", dead.getName(), e));
            threads.add(thread);
            thread.start();
        }
    }

    /** Makes the second KafkaApis from the broker's own parts and the other request channel. */
    private KafkaApis twin(BrokerServer server, KafkaApis stock, RequestChannel channel) {
        KafkaApisBuilder builder = new KafkaApisBuilder()
                .setRequestChannel(channel)
                .setReplicaManager(stock.replicaManager())
                .setGroupCoordinator(stock.groupCoordinator())
                .setTxnCoordinator(stock.txnCoordinator())
                .setShareCoordinator(stock.shareCoordinator())
                .setBrokerId(stock.brokerId())
                .setConfig(stock.config())
                .setConfigRepository(stock.configRepository())
                .setMetadataCache(stock.metadataCache())
                .setMetrics(stock.metrics())
                .setAuthorizerPlugin(OptionConverters.toJava(stock.authorizerPlugin()))
                .setFetchManager(stock.fetchManager())
                .setSharePartitionManager(stock.sharePartitionManager())
                .setBrokerTopicStats(server.brokerTopicStats())
                .setClusterId(stock.clusterId())
                .setTime(server.time())
                .setTokenManager(stock.tokenManager())
                .setApiVersionManager(stock.apiVersionManager())
                .setClientMetricsManager(stock.clientMetricsManager())
                .setGroupConfigManager(stock.groupConfigManager());
        version.copyMovedParts(stock, builder);
        return builder.build();
    }

    @Override
    public void leaveToTcp() {
        allLeftToTcp.set(true);
    }

    @Override
    public void close() {
        metrics.removeMetric(IDLE_METER);
        long deadlineNs = System.nanoTime() + STOP_NS;
        channels.forEach(RequestChannel::sendShutdownRequest);
        for (Thread thread : threads) {
            try {
                thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime())));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
            if (thread.isAlive()) {
                log.warn("{} still handles a request", thread.getName());
            }
        }
        threads.clear();
    }
}
