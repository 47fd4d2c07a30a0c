// SPDX-License-Identifier: Apache-2.0
package io.slipstream.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The fixture of all other tests of this module: real brokers of both lines. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class BrokerProcessIT {
    @Tag("thorough")
    @ParameterizedTest
    @MethodSource("io.slipstream.it.Thorough#lines")
    void shouldKeepRecordsAndPortOverAKill(BrokerLine line) throws Exception {
        try (BrokerProcess broker = BrokerProcess.builder(line).start()) {
            String address = broker.bootstrapServers();
            assertThat(offsetOfOneMoreRecord(broker)).isZero();

            broker.kill9();
            assertThat(broker.isAlive()).isFalse();
            broker.restart();

            assertThat(broker.bootstrapServers()).isEqualTo(address);
            assertThat(offsetOfOneMoreRecord(broker)).isEqualTo(1);
        }
    }

    /** The last controller alone has no quorum, and a broker without one does not stop by itself. */
    @Test
    void shouldFormAClusterOfThreeAndStopItCleanly(@TempDir Path directory) throws Exception {
        AtomicInteger started = new AtomicInteger();
        List<BrokerProcess> brokers;
        try (BrokerCluster cluster = BrokerCluster.start(
                BrokerLine.NEWEST,
                3,
                builder -> builder.heap("256m")
                        .directory(directory.resolve(Integer.toString(started.incrementAndGet()))))) {
            brokers = cluster.brokers();
            assertThat(brokers).extracting(BrokerProcess::nodeId).isEqualTo(List.of(1, 2, 3));
            assertThat(brokers).allMatch(BrokerProcess::isAlive);
        }
        for (BrokerProcess broker : brokers) {
            assertThat(broker.log())
                    .content()
                    .contains("[BrokerServer id=" + broker.nodeId() + "] shut down completed");
        }
    }

    @Test
    void shouldReportWhyABrokerDoesNotStart() {
        assertThatThrownBy(() -> BrokerProcess.builder(BrokerLine.NEWEST)
                        .property("num.io.threads", "none")
                        .start())
                .isInstanceOf(StartFailure.class)
                .hasMessageContaining("num.io.threads");
    }

    private static long offsetOfOneMoreRecord(BrokerProcess broker) throws Exception {
        Map<String, Object> settings = Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, broker.bootstrapServers(), ProducerConfig.ACKS_CONFIG, "all");
        byte[] value = "kept".getBytes(StandardCharsets.UTF_8);
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            return producer.send(new ProducerRecord<>("fixture", 0, null, value))
                    .get(20, TimeUnit.SECONDS)
                    .offset();
        }
    }
}
