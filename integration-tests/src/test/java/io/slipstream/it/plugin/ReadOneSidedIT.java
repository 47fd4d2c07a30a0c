// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.broker.client.ControlClient;
import io.slipstream.broker.client.RingClient;
import io.slipstream.broker.fetch.SlotReader;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.slot.SlotView;
import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
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
 * Contract test: a stock broker of one line with the agent jar serves one-sided reads. Stock producers write over TCP,
 * and a bound session reads slots and segments one-sided. The results are compared with a stock consumer and with the
 * files on disk.
 */
@ParameterizedClass
@MethodSource("io.slipstream.it.Thorough#drawnLines")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(120)
class ReadOneSidedIT {
    private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(20);

    @Parameter
    private BrokerLine line;

    private BrokerProcess broker;
    private Admin admin;
    private int topics;
    private String topic;
    private ControlClient control;
    private RingClient ring;
    private BrokerConnection connection;
    private int session;

    @BeforeParameterizedClassInvocation
    void startBroker() throws Exception {
        broker = PluginBroker.start(BrokerProcess.builder(line).property("slipstream.lease.ms", "400"));
        assertThat(PluginBroker.inertLines(broker)).isEmpty();
        admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()));
    }

    @AfterParameterizedClassInvocation
    void stopBroker() throws Exception {
        admin.close();
        broker.close();
    }

    @BeforeEach
    void openLink() throws Exception {
        topic = "t" + topics++;
        NewTopic created = new NewTopic(topic, 1, (short) 1).configs(Map.of("segment.bytes", "1048576"));
        admin.createTopics(List.of(created)).all().get();
        Leaders.await(admin, new TopicPartition(topic, 0));
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
        assertThat(PluginBroker.log(broker)).doesNotContain("could not be published", "could not be revoked");
    }

    private SlotReader reader(long offset) {
        return new SlotReader(ring, ring.linkId, session, topic, Uuid.ZERO_UUID, offset);
    }

    private void produce(int records, int sizeBytes) throws Exception {
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", broker.bootstrapServers(), "batch.size", "4000"),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            for (int i = 0; i < records; i++) {
                byte[] value = new byte[sizeBytes];
                value[0] = (byte) i;
                producer.send(new ProducerRecord<>(topic, value));
            }
            producer.flush();
        }
    }

    private List<ConsumerRecord<byte[], byte[]>> consume(int records) {
        List<ConsumerRecord<byte[], byte[]>> consumed = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", broker.bootstrapServers()),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            TopicPartition partition = new TopicPartition(topic, 0);
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long deadlineNs = System.nanoTime() + DEADLINE_NS;
            while (consumed.size() < records) {
                consumer.poll(Duration.ofMillis(100)).forEach(consumed::add);
                assertThat(System.nanoTime() - deadlineNs)
                        .as("consumed in time")
                        .isNegative();
            }
        }
        return consumed;
    }

    private byte[] files() throws Exception {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (Path file : PluginBroker.segments(broker, topic)) {
            all.write(Files.readAllBytes(file));
        }
        return all.toByteArray();
    }

    @Test
    void shouldReadTheBytesOfTheFilesAndTheRecordsOfAConsumer() throws Exception {
        produce(3000, 1000);

        SlotReader reader = reader(0);
        reader.readTo(3000, DEADLINE_NS);

        assertThat(PluginBroker.segments(broker, topic)).as("rolled").hasSizeGreaterThan(2);
        assertThat(reader.bytes()).isEqualTo(files());
        List<ConsumerRecord<byte[], byte[]>> consumed = consume(3000);
        int i = 0;
        for (Record record : MemoryRecords.readableRecords(java.nio.ByteBuffer.wrap(reader.bytes()))
                .records()) {
            ConsumerRecord<byte[], byte[]> same = consumed.get(i++);
            assertThat(record.offset()).isEqualTo(same.offset());
            assertThat(record.timestamp()).isEqualTo(same.timestamp());
            byte[] value = new byte[record.valueSize()];
            record.value().get(value);
            assertThat(value).isEqualTo(same.value());
        }
        assertThat(i).isEqualTo(3000);
    }

    @Test
    void shouldRingTheDoorbellOfAnArmedSlotAndReadOn() throws Exception {
        SlotReader reader = reader(0);
        assertThat(reader.step()).as("nothing yet").isFalse();
        ring.arm(reader.located.slot());
        assertThat(reader.slot().highWatermark()).isZero();

        produce(1, 100);

        assertThat(ring.awaitDoorbells(1)).containsExactly(reader.located.slot());
        assertThat(reader.slot().highWatermark()).isEqualTo(1);
        reader.readTo(1, DEADLINE_NS);
        assertThat(reader.bytes()).isEqualTo(files());
    }

    @Test
    void shouldFollowWhatTheRingProduces() throws Exception {
        SlotReader reader = reader(0);
        for (int i = 0; i < 50; i++) {
            ring.await(ring.send(
                    session, ProduceFrames.frame(i, (short) -1, topic, 0, ProduceFrames.batch("value-" + i))));
            assertThat(reader.step())
                    .as("visible when the producer has its answer")
                    .isTrue();
            assertThat(reader.offset()).isEqualTo(i + 1);
        }
        assertThat(reader.bytes()).isEqualTo(files());
    }

    @Test
    void shouldShowDeletedRecordsAndRevokeADeletedTopic() throws Exception {
        produce(3000, 1000);
        SlotReader reader = reader(0);
        reader.readTo(3000, DEADLINE_NS);
        int slot = reader.locate(3000, -1, -1).slot();

        admin.deleteRecords(Map.of(new TopicPartition(topic, 0), RecordsToDelete.beforeOffset(2500)))
                .all()
                .get(10, TimeUnit.SECONDS);
        assertThat(ring.slot(slot).logStartOffset()).isEqualTo(2500);
        assertThat(reader.locate(2499, -1, -1).error()).isEqualTo(ControlError.NOT_READABLE);

        admin.deleteTopics(List.of(topic)).all().get(10, TimeUnit.SECONDS);
        ring.pollUntil("the revocation", () -> ring.slot(slot).isRevoked());
        assertThat(reader.locate(2500, -1, -1).error()).isEqualTo(ControlError.NOT_READABLE);
    }

    @Test
    void shouldRevokeTheSlotWithTheClientsConnection() throws Exception {
        produce(1, 100);
        SlotReader reader = reader(0);
        reader.readTo(1, DEADLINE_NS);
        int slot = reader.located.slot();

        connection.close();

        ring.pollUntil("the revocation", () -> ring.slot(slot).isRevoked());
        assertThat(reader.locate().error()).isEqualTo(ControlError.UNKNOWN_HANDLE);
    }

    @Test
    void shouldReleaseSegmentAndSlotOnRequest() throws Exception {
        produce(1, 100);
        SlotReader reader = reader(0);
        reader.readTo(1, DEADLINE_NS);
        ControlResponse.Locate located = reader.located;

        assertThat(control.ask(
                                new ControlRequest.ReleaseSegment(
                                        ring.linkId, located.segment().rkey()),
                                ControlResponse.ReleaseSegment.class)
                        .error())
                .isEqualTo(ControlError.NONE);
        assertThat(control.ask(
                                new ControlRequest.ReleaseSlot(
                                        ring.linkId, session, located.slot(), located.generation()),
                                ControlResponse.ReleaseSlot.class)
                        .error())
                .isEqualTo(ControlError.NONE);
        ring.pollUntil("the revocation", () -> ring.slot(located.slot()).isRevoked());
        SlotView revoked = ring.slot(located.slot());
        assertThat(revoked.generation()).isEqualTo(located.generation());
        reader(0).readTo(1, DEADLINE_NS);
    }
}
