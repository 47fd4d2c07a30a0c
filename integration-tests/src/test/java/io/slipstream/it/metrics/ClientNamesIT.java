// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.harness.PluginCounts;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Patience;
import io.slipstream.process.ProxyProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The names of client software by which a stock broker labels its meters of connections. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class ClientNamesIT {
    private static final int CLIENTS = 5;
    private static final String OWN_NAME = "apache-kafka-java";
    private static final String CONNECTIONS = "kafka.server:type=socket-server-metrics,clientSoftwareName=";

    @ParameterizedTest
    @MethodSource("io.slipstream.it.Thorough#drawnLines")
    void shouldSeeTheClientsOwnNamesOnly(BrokerLine line) throws Exception {
        try (BrokerProcess broker = BrokerProcess.builder(line).withAgent().start();
                ProxyProcess proxy = ProxyProcess.builder(broker)
                        .property("upstream.keep.alive.ms", "100")
                        .start();
                PluginCounts counts = PluginCounts.of(broker)) {
            MBeanServerConnection beans = counts.beans();
            double unnamed = connections(beans, "unknown");
            List<KafkaProducer<byte[], byte[]>> producers = new ArrayList<>();
            try {
                for (int i = 0; i < CLIENTS; i++) {
                    producers.add(new KafkaProducer<>(
                            Map.of("bootstrap.servers", proxy.bootstrapServers()),
                            new ByteArraySerializer(),
                            new ByteArraySerializer()));
                }
                await("all producers to use RDMA")
                        .atMost(Patience.ofSeconds(60))
                        .until(() -> {
                            send(producers);
                            return counts.get("SESSIONS_BOUND") >= CLIENTS;
                        });
                send(producers);
                double handled = apiVersions(beans);
                await("keep-alives").atMost(Patience.ofSeconds(30)).until(() -> {
                    send(producers);
                    return apiVersions(beans) >= handled + CLIENTS;
                });
                assertThat(beans.queryNames(new ObjectName(CONNECTIONS + "*,*"), null))
                        .extracting(name -> name.getKeyProperty("clientSoftwareName"))
                        .as("a connection is unknown until its first ApiVersions")
                        .isSubsetOf(OWN_NAME, "unknown");
                await("all connections to have a name again")
                        .atMost(Patience.ofSeconds(30))
                        .until(() -> connections(beans, "unknown") <= unnamed);
                assertThat(connections(beans, OWN_NAME)).isGreaterThanOrEqualTo(CLIENTS);
            } finally {
                producers.forEach(KafkaProducer::close);
            }
        }
    }

    private static double connections(MBeanServerConnection beans, String softwareName) throws Exception {
        return sum(beans, CONNECTIONS + softwareName + ",*", "connections");
    }

    private static void send(List<KafkaProducer<byte[], byte[]>> producers) throws Exception {
        for (KafkaProducer<byte[], byte[]> producer : producers) {
            producer.send(new ProducerRecord<>("names", new byte[10])).get(30, TimeUnit.SECONDS);
        }
    }

    /** Number of ApiVersions requests that the broker has handled. */
    private static double apiVersions(MBeanServerConnection beans) throws Exception {
        return sum(beans, "kafka.network:type=RequestMetrics,name=RequestsPerSec,request=ApiVersions,*", "Count");
    }

    private static double sum(MBeanServerConnection beans, String pattern, String attribute) throws Exception {
        double sum = 0;
        for (ObjectName name : beans.queryNames(new ObjectName(pattern), null)) {
            sum += ((Number) beans.getAttribute(name, attribute)).doubleValue();
        }
        return sum;
    }
}
