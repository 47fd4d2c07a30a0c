// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.harness.secured.SecureBroker;
import io.slipstream.harness.secured.SecureListener;
import io.slipstream.it.Tool;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.Deadline;
import io.slipstream.process.PathCounts;
import io.slipstream.process.Patience;
import io.slipstream.process.ProxyProcess;
import io.slipstream.process.TempDirectory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * SASL/GSSAPI through the proxy, with a real key distribution center. A client asks for a ticket of the service at the
 * host to which it connects, which is the proxy's. So the broker has the key of {@code kafka/PROXY HOST}.
 */
@Tag("thorough")
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class KerberosIT {
    private static final String TOPIC = "kerberized";
    private static final String SERVICE = "kafka/localhost";
    private static final Duration PATIENCE = Patience.ofSeconds(30);

    @Test
    void shouldServeClientsWithTicketsByRdma() throws Exception {
        Tool.require("krb5kdc", "krb5-kdc");
        Tool.require("kadmin.local", "krb5-admin-server");
        try (TempDirectory directory = TempDirectory.create("ss-krb");
                KeyDistribution center = new KeyDistribution(directory.path())) {
            Path serviceKeys = center.keytab(SERVICE);
            System.setProperty("java.security.krb5.conf", center.configuration().toString());
            String gssapi = "listener.name.sasl.";
            try (SecureBroker broker = SecureBroker.start(
                            BrokerLine.NEWEST,
                            settings -> settings.jvmArgument("-Djava.security.krb5.conf=" + center.configuration())
                                    .property(gssapi + "sasl.enabled.mechanisms", "GSSAPI")
                                    .property(gssapi + "sasl.kerberos.service.name", "kafka")
                                    .property(gssapi + "gssapi.sasl.jaas.config", login(serviceKeys, SERVICE)));
                    ProxyProcess proxy = ProxyProcess.builder(broker.bootstrapServers(SecureListener.SASL))
                            .property(
                                    ProxyProcess.SLIPSTREAM_DIRECTORY,
                                    broker.process().slipstreamDirectory().toString())
                            .property("security.protocol", SecureListener.SASL.securityProtocol())
                            .start()) {
                broker.admin()
                        .createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1)))
                        .all()
                        .get(20, TimeUnit.SECONDS);
                broker.allow("alice", TOPIC, AclOperation.DESCRIBE, AclOperation.READ, AclOperation.WRITE);
                broker.allow("bob", TOPIC, AclOperation.DESCRIBE);

                exchangeByRdma(proxy, client(proxy, center.keytab("alice"), "alice"));
                assertRefused(client(proxy, center.keytab("bob"), "bob"));
            }
        } finally {
            System.clearProperty("java.security.krb5.conf");
        }
    }

    private static Map<String, Object> client(ProxyProcess proxy, Path keytab, String principal) {
        return new HashMap<>(Map.of(
                "bootstrap.servers", proxy.bootstrapServers(),
                "security.protocol", "SASL_PLAINTEXT",
                "sasl.mechanism", "GSSAPI",
                "sasl.kerberos.service.name", "kafka",
                "sasl.jaas.config", login(keytab, principal)));
    }

    private static String login(Path keytab, String principal) {
        return "com.sun.security.auth.module.Krb5LoginModule required useKeyTab=true storeKey=true keyTab=\"" + keytab
                + "\" principal=\"" + principal + '@' + KeyDistribution.REALM + "\";";
    }

    private static void exchangeByRdma(ProxyProcess proxy, Map<String, Object> settings) throws Exception {
        try (KafkaProducer<String, String> producer =
                        new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
                KafkaConsumer<String, String> consumer =
                        new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            consumer.assign(List.of(new TopicPartition(TOPIC, 0)));
            consumer.seekToBeginning(consumer.assignment());
            int[] sent = {0};
            int[] received = {0};
            boolean byRdma = Deadline.after(PATIENCE).await(() -> {
                producer.send(new ProducerRecord<>(TOPIC, "record " + sent[0]++));
                producer.flush();
                consumer.poll(Duration.ofMillis(200)).forEach(one -> {
                    assertThat(one.value()).isEqualTo("record " + received[0]++);
                });
                PathCounts counts = PathCounts.in(proxy.metrics());
                return counts.rdmaProduced() > 20 && counts.rdmaFetched() > 20;
            });
            assertThat(byRdma).as("RDMA is in use%s", proxy.logTail()).isTrue();
        }
    }

    private static void assertRefused(Map<String, Object> settings) {
        // An idempotent producer needs the right to write to some topic before it sends.
        settings.put("enable.idempotence", false);
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            assertThatThrownBy(() -> producer.send(new ProducerRecord<>(TOPIC, "not permitted"))
                            .get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(TopicAuthorizationException.class);
        }
    }
}
