// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.slipstream.it.Tool;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Patience;
import io.slipstream.process.Ports;
import io.slipstream.process.ProxyProcess;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Two proxies of one host serve two clusters, and the port of one's broker is the bootstrap port of the other. Clients
 * of one cluster must not write into the other one.
 */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class OverlappingPortsIT {
    private static final String TOPIC = "records";
    private static final Duration PATIENCE = Patience.ofSeconds(60);
    private static final int GIVE_UP_MS = 5_000;
    private static final int PORT_RANGE = 20;

    @BeforeAll
    static void requireKcat() {
        Tool.require("kcat", "kafkacat");
    }

    @Test
    void shouldNotSendClientsToTheOtherCluster() throws Exception {
        try (BrokerProcess ours = BrokerProcess.builder(BrokerLine.NEWEST).start();
                BrokerProcess theirs = BrokerProcess.builder(BrokerLine.NEWEST).start()) {
            createTopic(ours);
            createTopic(theirs);
            int port = Ports.freeRange(PORT_RANGE);
            try (ProxyProcess other = ProxyProcess.builder(theirs)
                            .port(port + ours.nodeId())
                            .withoutRdma()
                            .start();
                    ProxyProcess proxy = ProxyProcess.builder(ours)
                            .port(port)
                            .withoutRdma()
                            .withoutAwaitingService()
                            .start()) {
                await().atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(proxy.readiness())
                                .contains("broker " + ours.nodeId(), "is it in use?", "'broker.port.base'"));
                assertThat(kcat(proxy).status()).as("exit status of kcat").isNotZero();
                assertThatThrownBy(() -> produce(proxy))
                        .isInstanceOf(ExecutionException.class)
                        .hasCauseInstanceOf(TimeoutException.class);
                assertThat(records(theirs)).as("records in the other cluster").isZero();
                assertThat(Files.readAllLines(proxy.log()))
                        .filteredOn(line -> line.contains("clients are not told of broker"))
                        .hasSize(1);

                other.stop();
                await().atMost(PATIENCE).until(proxy::isReady);
                kcat(proxy).succeeded();
                produce(proxy);
                assertThat(records(ours)).as("records in the own cluster").isEqualTo(2);
                assertThat(records(theirs)).isZero();
            }
        }
    }

    private static Admin admin(BrokerProcess broker) {
        return Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()));
    }

    private static void createTopic(BrokerProcess broker) throws Exception {
        try (Admin admin = admin(broker)) {
            admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1))).all().get();
        }
    }

    private static long records(BrokerProcess broker) throws Exception {
        TopicPartition partition = new TopicPartition(TOPIC, 0);
        try (Admin admin = admin(broker)) {
            return admin.listOffsets(Map.of(partition, OffsetSpec.latest()))
                    .partitionResult(partition)
                    .get()
                    .offset();
        }
    }

    private static ToolRun kcat(ProxyProcess proxy) throws Exception {
        return ToolRun.of(
                List.of(
                        "kcat",
                        "-b",
                        proxy.bootstrapServers(),
                        "-t",
                        TOPIC,
                        "-P",
                        "-X",
                        "message.timeout.ms=" + GIVE_UP_MS),
                List.of("by kcat"));
    }

    private static void produce(ProxyProcess proxy) throws Exception {
        Map<String, Object> settings = Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                proxy.bootstrapServers(),
                ProducerConfig.MAX_BLOCK_MS_CONFIG,
                GIVE_UP_MS,
                ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
                GIVE_UP_MS / 2,
                ProducerConfig.LINGER_MS_CONFIG,
                0,
                ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
                GIVE_UP_MS);
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            producer.send(new ProducerRecord<>(TOPIC, "by Java")).get();
        }
    }
}
