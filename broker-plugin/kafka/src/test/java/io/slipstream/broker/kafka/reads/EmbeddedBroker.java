// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka.reads;

import io.slipstream.broker.fetch.BrokerUnderTest;
import io.slipstream.broker.fetch.PartitionLogs;
import io.slipstream.broker.fetch.ReadAccounts;
import io.slipstream.broker.hook.HookInstaller;
import io.slipstream.broker.kafka.server.BrokerVersion;
import io.slipstream.broker.kafka.server.ServerLine;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import kafka.server.BrokerServer;
import kafka.server.KafkaApis;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import net.bytebuddy.agent.ByteBuddyAgent;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.network.ClientInformation;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;
import org.apache.kafka.server.storage.log.FetchIsolation;
import org.apache.kafka.storage.internals.log.FetchDataInfo;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import scala.Option;

/** A stock broker and controller of this line in the test's JVM, with all hooks woven. */
final class EmbeddedBroker implements BrokerUnderTest {
    private static final String CONTROLLER = "CONTROLLER";
    private static final BrokerVersion VERSION =
            ServiceLoader.load(BrokerVersion.class).findFirst().orElseThrow();

    private final Path directory;
    private final String clusterId;
    private final int controllerPort;
    private final int port;
    private final KafkaRaftServer server;
    private final BrokerServer broker;

    private EmbeddedBroker(Path directory, String clusterId, int nodeId, String roles, int controllerPort)
            throws Exception {
        this.directory = directory;
        this.clusterId = clusterId;
        this.controllerPort = controllerPort;
        this.port = freePort();
        String listeners = "PLAINTEXT://127.0.0.1:" + port;
        String logs = directory.resolve(nodeId == 1 ? "logs" : "logs-" + nodeId).toString();
        Map<String, String> settings = new HashMap<>();
        settings.put("node.id", Integer.toString(nodeId));
        settings.put("process.roles", roles);
        settings.put("controller.quorum.voters", "1@127.0.0.1:" + controllerPort);
        settings.put("controller.listener.names", CONTROLLER);
        settings.put(
                "listeners",
                roles.contains("controller")
                        ? listeners + "," + CONTROLLER + "://127.0.0.1:" + controllerPort
                        : listeners);
        settings.put("advertised.listeners", listeners);
        settings.put("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
        settings.put("log.dirs", logs);
        settings.put("offsets.topic.replication.factor", "1");
        settings.put("transaction.state.log.replication.factor", "1");
        settings.put("transaction.state.log.min.isr", "1");
        settings.put("transaction.state.log.num.partitions", "1");
        settings.put("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer");
        settings.put("super.users", "User:ANONYMOUS");
        settings.put("log.cleaner.dedupe.buffer.size", "2097152");
        settings.put("log.cleaner.backoff.ms", "50");
        new Formatter()
                .setPrintStream(new PrintStream(OutputStream.nullOutputStream()))
                .setClusterId(clusterId)
                .setNodeId(nodeId)
                .setControllerListenerName(CONTROLLER)
                .setReleaseVersion(MetadataVersion.latestProduction())
                .setMetadataLogDirectory(logs)
                .addDirectory(logs)
                .run();
        this.server = new KafkaRaftServer(new KafkaConfig(settings), Time.SYSTEM);
        server.startup();
        this.broker = brokerOf(server);
    }

    /** Broker and controller, node 1. */
    static EmbeddedBroker start(Path directory) throws Exception {
        ServerLine line = new ServerLine(VERSION);
        HookInstaller hooks = new HookInstaller(line.hooks());
        hooks.install(ByteBuddyAgent.install(), EmbeddedBroker.class.getClassLoader());
        String mismatch = hooks.verify(EmbeddedBroker.class.getClassLoader());
        if (mismatch != null) {
            throw new IllegalStateException(mismatch);
        }
        return new EmbeddedBroker(directory, Uuid.randomUuid().toString(), 1, "broker,controller", freePort());
    }

    @Override
    public LogRead read(String topic, long offset, int maxBytes, boolean committed) throws Exception {
        UnifiedLog log =
                broker.replicaManager().getLog(new TopicPartition(topic, 0)).get();
        FetchIsolation isolation = committed ? FetchIsolation.TXN_COMMITTED : FetchIsolation.HIGH_WATERMARK;
        FetchDataInfo read = log.read(offset, maxBytes, isolation, true);
        return new LogRead(
                read.fetchOffsetMetadata.segmentBaseOffset,
                read.fetchOffsetMetadata.relativePositionInSegment,
                read.records.sizeInBytes(),
                read.abortedTransactions.orElse(List.of()).stream()
                        .map(each -> each.producerId() + "@" + each.firstOffset())
                        .toList());
    }

    @Override
    public AutoCloseable startSecondBroker() throws Exception {
        return new EmbeddedBroker(directory, clusterId, 2, "broker", controllerPort);
    }

    private static BrokerServer brokerOf(KafkaRaftServer server) throws ReflectiveOperationException {
        Field field = KafkaRaftServer.class.getDeclaredField("broker");
        field.setAccessible(true);
        return (BrokerServer) ((Option<?>) field.get(server)).get();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Override
    public String bootstrapServers() {
        return "127.0.0.1:" + port;
    }

    @Override
    public PartitionLogs partitionLogs() {
        return new KafkaPartitionLogs(broker.dataPlaneRequestProcessor(), VERSION::aborted);
    }

    @Override
    public ReadAccounts readAccounts() {
        KafkaApis apis = broker.dataPlaneRequestProcessor();
        return new KafkaReadAccounts(apis, VERSION.fetchQuotas(apis));
    }

    @Override
    public Object requestContext(String user) {
        return new RequestContext(
                new RequestHeader(ApiKeys.API_VERSIONS, (short) 3, "test", 0),
                user,
                InetAddress.getLoopbackAddress(),
                new KafkaPrincipal(KafkaPrincipal.USER_TYPE, user),
                new ListenerName("PLAINTEXT"),
                SecurityProtocol.PLAINTEXT,
                ClientInformation.EMPTY,
                false);
    }

    @Override
    public void close() {
        server.shutdown();
        server.awaitShutdown();
    }
}
