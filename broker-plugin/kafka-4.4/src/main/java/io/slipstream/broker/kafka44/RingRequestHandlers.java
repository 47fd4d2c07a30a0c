package io.slipstream.broker.kafka44;

import com.yammer.metrics.core.Meter;
import io.slipstream.broker.config.TopicSet;
import io.slipstream.broker.kafka.BrokerHandle;
import io.slipstream.broker.kafka.RequestHandlers;
import io.slipstream.broker.ring.RingHandlerThread;
import io.slipstream.broker.ring.RingThread;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import kafka.server.BrokerServer;
import kafka.server.KafkaApis;
import kafka.server.KafkaRequestHandler;
import kafka.server.builders.KafkaApisBuilder;
import org.apache.kafka.server.metrics.KafkaMetricsGroup;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.jdk.javaapi.OptionConverters;

/**
 * Stock request handlers on a second {@link KafkaApis} that shares everything with the broker's own but the request channel. One
 * KafkaApis serves all threads, as in the broker: a response finds its ring through its request.
 */
final class RingRequestHandlers implements RequestHandlers {
    private static final Logger log = LoggerFactory.getLogger(RingRequestHandlers.class);
    private static final String IDLE_METER = "RingHandlerAvgIdlePercent";

    private final BrokerHandle broker;
    private final List<RingThread> ringThreads;
    private final KafkaMetricsGroup metrics = new KafkaMetricsGroup("io.slipstream.broker", "RequestHandlers");
    private final List<RingRequestChannel> channels = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private KafkaApis apis;

    RingRequestHandlers(BrokerHandle broker, List<RingThread> ringThreads) {
        this.broker = broker;
        this.ringThreads = ringThreads;
    }

    @Override
    public void start() {
        BrokerServer server = (BrokerServer) broker.brokerServer();
        KafkaApis stock = (KafkaApis) broker.kafkaApis();
        LandedRequests requests = new LandedRequests(
                stock.apiVersionManager(), stock.requestChannel().metrics());
        TopicSet topics = broker.config().exclusions().topics();
        ExcludedTopics excluded = topics.isEmpty() ? null : new ExcludedTopics(topics, stock.metadataCache());
        for (RingThread ringThread : ringThreads) {
            channels.add(new RingRequestChannel(
                    ringThread,
                    requests,
                    excluded,
                    server.time(),
                    stock.requestChannel().metrics()));
        }
        apis = twin(server, stock, channels.get(0));
        Meter idleMeter = metrics.newMeter(IDLE_METER, "percent", TimeUnit.NANOSECONDS);
        AtomicInteger threadCount = new AtomicInteger(ringThreads.size());
        for (int i = 0; i < ringThreads.size(); i++) {
            KafkaRequestHandler handler = new KafkaRequestHandler(
                    i,
                    broker.nodeId(),
                    idleMeter,
                    threadCount,
                    idleMeter,
                    threadCount,
                    channels.get(i),
                    apis,
                    server.time(),
                    "broker");
            RingThread ringThread = ringThreads.get(i);
            Thread thread = new RingHandlerThread(
                    ringThread,
                    () -> {
                        handler.run();
                        ringThread.close();
                    },
                    "slipstream-request-handler-" + i);
            thread.setUncaughtExceptionHandler((dead, e) -> log.error("Uncaught exception in {}", dead.getName(), e));
            threads.add(thread);
            thread.start();
        }
    }

    /** The broker's KafkaApis over again, with another channel. */
    private static KafkaApis twin(BrokerServer server, KafkaApis stock, RingRequestChannel channel) {
        return new KafkaApisBuilder()
                .setRequestChannel(channel)
                .setForwardingManager(stock.forwardingManager())
                .setReplicaManager(stock.replicaManager())
                .setGroupCoordinator(stock.groupCoordinator())
                .setTxnCoordinator(stock.txnCoordinator())
                .setShareCoordinator(stock.shareCoordinator())
                .setAutoTopicCreationManager(stock.autoTopicCreationManager())
                .setBrokerId(stock.brokerId())
                .setConfig(stock.config())
                .setConfigRepository(stock.configRepository())
                .setMetadataCache(stock.metadataCache())
                .setMetrics(stock.metrics())
                .setAuthorizerPlugin(OptionConverters.toJava(stock.authorizerPlugin()))
                .setQuotas(stock.quotas())
                .setFetchManager(stock.fetchManager())
                .setSharePartitionManager(stock.sharePartitionManager())
                .setBrokerTopicStats(server.brokerTopicStats())
                .setClusterId(stock.clusterId())
                .setTime(server.time())
                .setTokenManager(stock.tokenManager())
                .setApiVersionManager(stock.apiVersionManager())
                .setClientMetricsManager(stock.clientMetricsManager())
                .setGroupConfigManager(stock.groupConfigManager())
                .build();
    }

    @Override
    public void stop(long timeoutNs) {
        long deadlineNs = System.nanoTime() + timeoutNs;
        channels.forEach(RingRequestChannel::sendShutdownRequest);
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

    /**
     * Closes what the twin opened. This removes a gauge that it shares with the broker's own KafkaApis, so it is only done when
     * the broker shuts down as well, or never started serving.
     */
    @Override
    public void close() {
        if (apis != null) {
            apis.close();
            apis = null;
            metrics.removeMetric(IDLE_METER);
        }
    }
}
