// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.broker.client.ControlClient;
import io.slipstream.broker.client.RingClient;
import io.slipstream.broker.client.RingClient.Reply;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Ports;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.ring.RingFrame;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Contract test: a stock broker of one line with the agent jar serves verbatim Produce requests from the ring. A stock
 * consumer reads the records back.
 */
@ParameterizedClass
@MethodSource("io.slipstream.it.Thorough#drawnLines")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(120)
class ProduceOverRingIT {
    private static final short ACKS_NONE = 0;
    private static final short ACKS_LEADER = 1;
    private static final short ACKS_ALL = -1;

    @Parameter
    private BrokerLine line;

    private BrokerProcess broker;
    private int jmxPort;
    private Admin admin;
    private int topics;
    private String topic;
    private ControlClient control;
    private RingClient ring;
    private BrokerConnection connection;
    private int session;

    @BeforeParameterizedClassInvocation
    void startBroker() throws Exception {
        jmxPort = Ports.free();
        broker = PluginBroker.start(BrokerProcess.builder(line)
                .property("slipstream.ring.bytes", "1048576")
                .jvmArgument("-Dcom.sun.management.jmxremote.port=" + jmxPort)
                .jvmArgument("-Dcom.sun.management.jmxremote.host=127.0.0.1")
                .jvmArgument("-Djava.rmi.server.hostname=127.0.0.1")
                .jvmArgument("-Dcom.sun.management.jmxremote.authenticate=false")
                .jvmArgument("-Dcom.sun.management.jmxremote.ssl=false"));
        assertThat(PluginBroker.inertLines(broker)).isEmpty();
        admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()));
    }

    @AfterParameterizedClassInvocation
    void stopBroker() throws Exception {
        if (admin != null) {
            admin.close();
        }
        if (broker != null) {
            broker.close();
        }
    }

    @BeforeEach
    void openLink() throws Exception {
        topic = "t" + topics++;
        admin.createTopics(List.of(new NewTopic(topic, 2, (short) 1))).all().get();
        Leaders.await(admin, new TopicPartition(topic, 0));
        Leaders.await(admin, new TopicPartition(topic, 1));
        control = new ControlClient(broker.pluginSocket());
        ring = new RingClient(control, 64);
        connection = new BrokerConnection(broker.port());
        session = ring.bind(connection::show);
    }

    @AfterEach
    void closeLink() throws Exception {
        connection.close();
        ring.close();
        control.close();
    }

    private List<String> consumed(int partition, int expected, String isolation) {
        List<String> values = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        broker.bootstrapServers(),
                        "auto.offset.reset",
                        "earliest",
                        "isolation.level",
                        isolation),
                new StringDeserializer(),
                new StringDeserializer())) {
            TopicPartition topicPartition = new TopicPartition(topic, partition);
            consumer.assign(List.of(topicPartition));
            consumer.seekToBeginning(List.of(topicPartition));
            await().pollInSameThread().atMost(Duration.ofSeconds(20)).until(() -> {
                for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(200))) {
                    values.add(record.value());
                }
                return values.size() >= expected;
            });
        }
        return values;
    }

    private Reply produce(short acks, int correlationId, String value) {
        return ring.await(
                ring.send(session, ProduceFrames.frame(correlationId, acks, topic, 0, ProduceFrames.batch(value))));
    }

    @Test
    void shouldAppendInOrderAndAnswerEachRequest() {
        List<String> values =
                IntStream.range(0, 500).mapToObj(i -> "value-" + i).toList();
        List<Long> sequences = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            short acks = i % 2 == 0 ? ACKS_LEADER : ACKS_ALL;
            sequences.add(
                    ring.send(session, ProduceFrames.frame(i, acks, topic, 0, ProduceFrames.batch(values.get(i)))));
            if (i >= 32) {
                assertAnswered(sequences, i - 32);
            }
        }
        for (int i = values.size() - 32; i < values.size(); i++) {
            assertAnswered(sequences, i);
        }

        assertThat(consumed(0, values.size(), "read_uncommitted")).isEqualTo(values);
        ring.pollUntil("the release of the whole ring", ring::allSpaceReleased);
    }

    private void assertAnswered(List<Long> sequences, int i) {
        Reply reply = ring.await(sequences.get(i));
        assertThat(reply.flags()).isZero();
        assertThat(reply.namesNoBroker()).isTrue();
        assertThat(reply.session()).isEqualTo(session);
        assertThat(ProduceFrames.answer(reply.payload(), i).errorCode()).isEqualTo(Errors.NONE.code());
        assertThat(ProduceFrames.answer(reply.payload(), i).baseOffset()).isEqualTo(i);
    }

    @Test
    void shouldWrapTheRingManyTimesWithLargeRequests() {
        String big = "x".repeat(300_000);
        for (int i = 0; i < 40; i++) {
            Reply reply = produce(ACKS_LEADER, i, big + i);
            assertThat(ProduceFrames.answer(reply.payload(), i).baseOffset()).isEqualTo(i);
        }

        List<String> values = consumed(0, 40, "read_uncommitted");
        assertThat(values).hasSize(40);
        assertThat(IntStream.range(0, 40).allMatch(i -> values.get(i).equals(big + i)))
                .isTrue();
    }

    @Test
    void shouldAnswerAcksZeroWithAnEmptyFrame() {
        Reply reply = produce(ACKS_NONE, 1, "fire and forget");

        assertThat(reply.flags()).isEqualTo(RingFrame.FLAG_NO_RESPONSE);
        assertThat(reply.payload().remaining()).isZero();
        assertThat(consumed(0, 1, "read_uncommitted")).containsExactly("fire and forget");
    }

    @Test
    void shouldKeepTheRulesOfIdempotentProducers() throws Exception {
        TransactionCalls.Producer producer = TransactionCalls.initProducerId(broker.bootstrapServers(), null);

        assertThat(idempotent(producer, 0, 0).baseOffset()).isZero();
        assertThat(idempotent(producer, 1, 1).baseOffset()).isEqualTo(1);
        // The duplicate is answered with the offset of the first batch, and the gap is refused, as over TCP.
        assertThat(idempotent(producer, 2, 0).baseOffset()).isZero();
        assertThat(idempotent(producer, 3, 7).errorCode()).isEqualTo(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER.code());
        assertThat(consumed(0, 2, "read_uncommitted")).containsExactly("idempotent-0", "idempotent-1");
    }

    private org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse idempotent(
            TransactionCalls.Producer producer, int correlationId, int sequence) {
        MemoryRecords records =
                ProduceFrames.batch("idempotent-" + sequence, producer.id(), producer.epoch(), sequence, false);
        Reply reply = ring.await(ring.send(session, ProduceFrames.frame(correlationId, ACKS_ALL, topic, 0, records)));
        return ProduceFrames.answer(reply.payload(), correlationId);
    }

    @Test
    void shouldAppendPipelinedTransactionalBatchesInOrder() throws Exception {
        String transactionalId = "tx-" + topic;
        TransactionCalls.Producer producer =
                TransactionCalls.initProducerId(broker.bootstrapServers(), transactionalId);
        List<Long> sequences = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            MemoryRecords records = ProduceFrames.batch("tx-" + i, producer.id(), producer.epoch(), i, true);
            sequences.add(ring.send(session, ProduceFrames.frame(i, ACKS_ALL, transactionalId, topic, 0, records)));
        }
        for (int i = 0; i < 10; i++) {
            Reply reply = ring.await(sequences.get(i));
            assertThat(reply.flags()).isZero();
            assertThat(ProduceFrames.answer(reply.payload(), i).errorCode())
                    .as("batch " + i)
                    .isEqualTo(Errors.NONE.code());
        }
        TransactionCalls.commit(broker.bootstrapServers(), transactionalId, producer);

        assertThat(consumed(0, 10, "read_committed"))
                .isEqualTo(IntStream.range(0, 10).mapToObj(i -> "tx-" + i).toList());
    }

    @Test
    void shouldAnswerErrorsByteForByteAsOverTcp() throws Exception {
        MemoryRecords corrupt = ProduceFrames.batch("corrupt");
        ByteBuffer bytes = corrupt.buffer();
        bytes.put(bytes.limit() - 2, (byte) ~bytes.get(bytes.limit() - 2));
        ByteBuffer corruptFrame = ProduceFrames.frame(7, ACKS_ALL, topic, 0, corrupt);
        ByteBuffer unknownTopic = ProduceFrames.frame(8, ACKS_ALL, "no-such-topic", 0, ProduceFrames.batch("x"));
        ByteBuffer unknownPartition = ProduceFrames.frame(9, ACKS_LEADER, topic, 99, ProduceFrames.batch("x"));
        ByteBuffer badAcks = ProduceFrames.frame(10, (short) 5, topic, 0, ProduceFrames.batch("x"));

        for (ByteBuffer frame : List.of(corruptFrame, unknownTopic, unknownPartition, badAcks)) {
            ByteBuffer overTcp = connection.exchange(frame);
            Reply reply = ring.await(ring.send(session, frame));
            assertThat(reply.flags()).isZero();
            assertThat(reply.payload()).isEqualTo(overTcp);
        }
    }

    @Test
    void shouldCloseTheConnectionOnWhatAStockBrokerWouldCloseItFor() throws Exception {
        try (BrokerConnection other = new BrokerConnection(broker.port())) {
            int otherSession = ring.bind(other::show);
            ByteBuffer cutOff = ProduceFrames.frame(1, ACKS_ALL, topic, 0, ProduceFrames.batch("cut off"));
            cutOff.limit(cutOff.limit() - 20);
            for (ByteBuffer garbage : List.of(cutOff, ByteBuffer.wrap(new byte[] {1, 2, 3}), ByteBuffer.allocate(0))) {
                assertThat(ring.await(ring.send(otherSession, garbage)).flags())
                        .isEqualTo(RingFrame.FLAG_CLOSE_CONNECTION);
            }
            // The session of the garbage has ended; the first session continues.
            ByteBuffer good = ProduceFrames.frame(2, ACKS_ALL, topic, 0, ProduceFrames.batch("too late"));
            assertThat(ring.await(ring.send(otherSession, good)).flags()).isEqualTo(RingFrame.FLAG_CLOSE_CONNECTION);
        }
        assertThat(ProduceFrames.answer(produce(ACKS_ALL, 3, "fine").payload(), 3)
                        .baseOffset())
                .isZero();
    }

    /** Clients and followers share a listener of this broker. */
    @Test
    void shouldAcceptAFetchOfAFollowerOnly() throws Exception {
        short version = 17;
        try (BrokerConnection other = new BrokerConnection(broker.port())) {
            int otherSession = ring.bind(other::show);
            ByteBuffer ofFollower = fetch(FetchRequest.Builder.forReplica(version, 2, 1, 0, 0, Map.of()));
            ByteBuffer ofClient = fetch(FetchRequest.Builder.forConsumer(version, 0, 0, Map.of()));

            assertThat(ring.await(ring.send(otherSession, ofFollower)).flags()).isZero();
            assertThat(ring.await(ring.send(otherSession, ofClient)).flags())
                    .isEqualTo(RingFrame.FLAG_CLOSE_CONNECTION);
        }
    }

    private static ByteBuffer fetch(FetchRequest.Builder builder) {
        FetchRequest request = builder.build();
        return request.serializeWithHeader(new RequestHeader(ApiKeys.FETCH, request.version(), "follower", 1));
    }

    @Test
    void shouldEndTheSessionWithTheClientsConnection() throws Exception {
        BrokerConnection other = new BrokerConnection(broker.port());
        int otherSession = ring.bind(other::show);
        ByteBuffer frame = ProduceFrames.frame(1, ACKS_ALL, topic, 0, ProduceFrames.batch("x"));
        assertThat(ring.await(ring.send(otherSession, frame)).flags()).isZero();

        other.close();

        await().pollInSameThread()
                .atMost(Duration.ofSeconds(10))
                .until(() -> ring.await(ring.send(otherSession, frame)).flags() == RingFrame.FLAG_CLOSE_CONNECTION);
        assertThat(ring.await(ring.send(999_999, frame)).flags()).isEqualTo(RingFrame.FLAG_CLOSE_CONNECTION);
    }

    @Test
    void shouldEndTheSessionOnRequest() throws Exception {
        ControlResponse.CloseSession closed =
                control.ask(new ControlRequest.CloseSession(ring.linkId, session), ControlResponse.CloseSession.class);

        assertThat(closed.error()).isEqualTo(ControlError.NONE);
        assertThat(produce(ACKS_ALL, 1, "too late").flags()).isEqualTo(RingFrame.FLAG_CLOSE_CONNECTION);
    }

    @Test
    void shouldNotBindWhatTheBrokerHasNotSeen() throws Exception {
        ControlResponse.BeginSession begin =
                control.ask(new ControlRequest.BeginSession(ring.linkId), ControlResponse.BeginSession.class);
        ControlRequest.ConfirmSession confirm = new ControlRequest.ConfirmSession(ring.linkId, begin.nonce());

        assertThat(control.ask(confirm, ControlResponse.ConfirmSession.class).error())
                .isEqualTo(ControlError.NOT_BOUND);
        connection.show(begin.nonce());
        assertThat(control.ask(confirm, ControlResponse.ConfirmSession.class).error())
                .isEqualTo(ControlError.NONE);
        assertThat(control.ask(confirm, ControlResponse.ConfirmSession.class).error())
                .isEqualTo(ControlError.NOT_BOUND);
    }

    @Test
    void shouldBreakTheLinkOnAnIllegalFrameAndServeOthers() throws Exception {
        ByteBuffer frame = ProduceFrames.frame(1, ACKS_ALL, topic, 0, ProduceFrames.batch("x"));
        try (ControlClient otherControl = new ControlClient(broker.pluginSocket());
                RingClient other = new RingClient(otherControl, 8)) {
            other.write(0, 0xbad, 0, 1, frame);
            other.awaitBroken();
        }
        assertThat(produce(ACKS_ALL, 2, "fine").flags()).isZero();
    }

    @Test
    void shouldServeProduceOverTcpAsBefore() throws Exception {
        ByteBuffer frame = ProduceFrames.frame(1, ACKS_ALL, topic, 0, ProduceFrames.batch("tcp"));

        assertThat(ProduceFrames.answer(connection.exchange(frame), 1).errorCode())
                .isZero();
        assertThat(ProduceFrames.answer(produce(ACKS_ALL, 2, "ring").payload(), 2)
                        .baseOffset())
                .isEqualTo(1);
    }

    @Test
    void shouldKeepTheBrokersOwnMetrics() throws Exception {
        JMXServiceURL url = new JMXServiceURL("service:jmx:rmi:///jndi/rmi://127.0.0.1:" + jmxPort + "/jmxrmi");
        try (JMXConnector connector = JMXConnectorFactory.connect(url)) {
            MBeanServerConnection beans = connector.getMBeanServerConnection();
            String requests = "kafka.network:type=RequestMetrics,name=RequestsPerSec,request=Produce,version=12";
            produce(ACKS_ALL, 1, "first");
            long before = (Long) beans.getAttribute(new ObjectName(requests), "Count");
            for (int i = 0; i < 10; i++) {
                produce(i % 2 == 0 ? ACKS_ALL : ACKS_NONE, 2 + i, "counted");
            }

            assertThat((Long) beans.getAttribute(new ObjectName(requests), "Count"))
                    .isEqualTo(before + 10);
            assertThat(beans.getAttribute(
                            new ObjectName("kafka.server:type=BrokerTopicMetrics,name=MessagesInPerSec,topic=" + topic),
                            "Count"))
                    .isEqualTo(11L);
            for (String gauge : List.of(
                    "kafka.network:type=RequestChannel,name=RequestQueueSize",
                    "kafka.network:type=RequestChannel,name=ResponseQueueSize",
                    "kafka.server:type=DelayedOperationPurgatory,name=PurgatorySize,delayedOperation=AlterAcls")) {
                assertThat(beans.getAttribute(new ObjectName(gauge), "Value"))
                        .as(gauge)
                        .isEqualTo(0);
            }
            assertThat(beans.getAttribute(
                            new ObjectName("io.slipstream.broker:type=Plugin,name=RequestsLanded"), "Value"))
                    .isNotNull();
        }
    }

    @Test
    void shouldTellPeersAndCleanUpWhenTheBrokerShutsDown() throws Exception {
        try (BrokerProcess second = PluginBroker.start(BrokerProcess.builder(line));
                ControlClient secondControl = new ControlClient(second.pluginSocket());
                RingClient secondRing = new RingClient(secondControl, 8)) {
            second.stop();

            secondRing.awaitBroken();
            secondControl.awaitClose();
            try (var files = Files.list(second.slipstreamDirectory())) {
                assertThat(files).as("sockets left behind").isEmpty();
            }
            assertThat(PluginBroker.log(second)).contains("Slipstream stopped; counters: {");
        }
    }
}
