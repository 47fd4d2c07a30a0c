// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.harness.secured.Certificates;
import io.slipstream.harness.secured.SaslLogin;
import io.slipstream.harness.secured.SecureBroker;
import io.slipstream.harness.secured.SecureListener;
import io.slipstream.harness.secured.StoreFormat;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.Deadline;
import io.slipstream.process.PathCounts;
import io.slipstream.process.Patience;
import io.slipstream.process.ProxyProcess;
import io.slipstream.process.TempDirectory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Stock Java clients connect through the proxy to every kind of secured listener. The broker authenticates each
 * client's own identity, and RDMA serves it. Clients without valid credentials are refused.
 */
@Timeout(240)
class SecuredClientsIT {
    private static final String ALICE = SecureBroker.ALICE;
    private static final String BOB = SecureBroker.BOB;
    private static final int RECORDS = 200;
    private static final double RDMA_SHARE = 0.99;
    private static final Duration PATIENCE = Patience.ofSeconds(30);

    private static SecureBroker broker;
    private static int topics;

    @BeforeAll
    static void start() {
        broker = SecureBroker.start();
        broker.certificates().issue("proxy");
    }

    @AfterAll
    static void stop() {
        if (broker != null) {
            broker.close();
        }
    }

    private static ProxyProcess.Builder proxyAt(SecureListener listener) {
        ProxyProcess.Builder settings = ProxyProcess.builder(broker.bootstrapServers(listener))
                .property(
                        ProxyProcess.SLIPSTREAM_DIRECTORY,
                        broker.process().slipstreamDirectory().toString())
                .property("security.protocol", listener.securityProtocol());
        if (listener.encrypts()) {
            broker.certificates().trust(StoreFormat.JKS).forEach(settings::property);
        }
        return settings;
    }

    /** TLS towards clients, with the certificate {@code proxy}. */
    private static ProxyProcess.Builder listening(ProxyProcess.Builder settings, String protocol) {
        broker.certificates()
                .identity("proxy", StoreFormat.PKCS12)
                .forEach((key, value) -> settings.property("listen." + key, value));
        return settings.property("listen.security.protocol", protocol);
    }

    /** The clients' TLS ends at the proxy, which requires no certificate of them. */
    private static Map<String, Object> tls(String protocol) {
        Map<String, Object> keys = new HashMap<>(broker.certificates().trust(StoreFormat.PEM));
        keys.put("security.protocol", protocol);
        return keys;
    }

    private static Map<String, Object> sasl(String protocol, SaslLogin login) {
        Map<String, Object> keys =
                protocol.equals("SASL_SSL") ? tls(protocol) : new HashMap<>(Map.of("security.protocol", protocol));
        keys.putAll(login.properties());
        return keys;
    }

    @Test
    void shouldServeTls() throws Exception {
        try (ProxyProcess proxy = proxyAt(SecureListener.TLS).start()) {
            serves(proxy, Map.of());
        }
    }

    @Test
    void shouldServeMutualTlsWithThePrincipalOfTheProxysCertificate() throws Exception {
        ProxyProcess.Builder settings = proxyAt(SecureListener.MUTUAL);
        broker.certificates().identity(ALICE, StoreFormat.PEM).forEach(settings::property);
        try (ProxyProcess proxy = settings.start()) {
            serves(proxy, Map.of());
            assertThat(topicsSeen(proxy, Map.of())).isNotEmpty().allMatch(topic -> topic.startsWith("of-alice"));
        }
    }

    @Test
    void shouldServeEverySaslMechanism() throws Exception {
        try (ProxyProcess proxy = proxyAt(SecureListener.SASL).start()) {
            for (SaslLogin login : List.of(
                    SaslLogin.plain(ALICE),
                    SaslLogin.scram256(ALICE),
                    SaslLogin.scram512(ALICE),
                    SaslLogin.oauthBearer(ALICE, 3_600),
                    broker.token(ALICE))) {
                serves(proxy, sasl("SASL_PLAINTEXT", login));
            }
            assertThat(topicsSeen(proxy, sasl("SASL_PLAINTEXT", SaslLogin.plain(BOB))))
                    .isEmpty();
            Map<String, Object> wrong =
                    sasl("SASL_PLAINTEXT", SaslLogin.scram256(ALICE).withPassword("guessed"));
            assertThatThrownBy(() -> topicsSeen(proxy, wrong))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(SaslAuthenticationException.class);
        }
    }

    @Test
    void shouldServeSaslOverTls() throws Exception {
        try (ProxyProcess proxy = proxyAt(SecureListener.SASL_TLS).start()) {
            serves(proxy, sasl("SASL_PLAINTEXT", SaslLogin.scram512(ALICE)));
        }
    }

    @Test
    void shouldServeTlsToTheProxyAndFromIt() throws Exception {
        try (ProxyProcess proxy =
                listening(proxyAt(SecureListener.SASL_TLS), "SASL_SSL").start()) {
            serves(proxy, sasl("SASL_SSL", SaslLogin.scram256(ALICE)));
            serves(proxy, sasl("SASL_SSL", broker.token(ALICE)));
        }
    }

    @Test
    void shouldRefuseClientsWithoutAValidCertificateIfRequired() throws Exception {
        ProxyProcess.Builder settings =
                listening(proxyAt(SecureListener.MUTUAL), "SSL").property("listen.ssl.client.auth", "required");
        broker.certificates().trust(StoreFormat.PEM).forEach((key, value) -> settings.property("listen." + key, value));
        broker.certificates().identity(ALICE, StoreFormat.JKS).forEach(settings::property);
        try (ProxyProcess proxy = settings.start();
                TempDirectory elsewhere = TempDirectory.create("ss-e")) {
            Map<String, Object> shown = tls("SSL");
            shown.putAll(broker.certificates().identity(BOB, StoreFormat.PEM));
            serves(proxy, shown);

            assertThatThrownBy(() -> topicsSeen(proxy, tls("SSL")))
                    .as("no certificate")
                    .hasCauseInstanceOf(SslAuthenticationException.class);
            Map<String, Object> foreign = tls("SSL");
            foreign.putAll(Certificates.in(elsewhere.path()).issue(BOB).identity(BOB, StoreFormat.PEM));
            assertThatThrownBy(() -> topicsSeen(proxy, foreign))
                    .as("another authority's certificate")
                    .hasCauseInstanceOf(SslAuthenticationException.class);
            Map<String, Object> mistrusting = new HashMap<>(shown);
            mistrusting.putAll(Certificates.in(elsewhere.directory("b")).trust(StoreFormat.PEM));
            assertThatThrownBy(() -> topicsSeen(proxy, mistrusting))
                    .as("the proxy's certificate is not trusted")
                    .hasCauseInstanceOf(SslAuthenticationException.class);
        }
    }

    @Test
    void shouldNotConnectToABrokerWithAnUntrustedCertificate() {
        try (TempDirectory elsewhere = TempDirectory.create("ss-e")) {
            ProxyProcess.Builder settings = proxyAt(SecureListener.SASL_TLS).withoutAwaitingService();
            Certificates.in(elsewhere.path()).trust(StoreFormat.JKS).forEach(settings::property);
            try (ProxyProcess proxy = settings.start()) {
                boolean said =
                        Deadline.after(PATIENCE).await(() -> proxy.readiness().contains("PKIX"));
                assertThat(said).as("%s", proxy.readiness()).isTrue();
                assertThat(proxy.logTail()).contains("PKIX");
            }
        }
    }

    @Test
    void shouldNotConnectToABrokerWithAnotherHostsCertificate() throws Exception {
        try (TempDirectory elsewhere = TempDirectory.create("ss-e")) {
            Certificates others = Certificates.in(elsewhere.path()).issue("elsewhere", "127.0.0.9", "elsewhere");
            try (SecureBroker misnamed = SecureBroker.start(BrokerLine.NEWEST, settings -> {
                others.identity("elsewhere", StoreFormat.PKCS12)
                        .forEach((key, value) -> settings.property("listener.name.tls." + key, value));
                return settings;
            })) {
                ProxyProcess.Builder settings = ProxyProcess.builder(misnamed.bootstrapServers(SecureListener.TLS))
                        .property("security.protocol", "SSL");
                others.trust(StoreFormat.PEM).forEach(settings::property);
                try (ProxyProcess proxy = settings.withoutAwaitingService().start()) {
                    boolean said = Deadline.after(PATIENCE)
                            .await(() -> proxy.readiness().contains("127.0.0.1")
                                    && proxy.readiness().contains("alternative"));
                    assertThat(said).as("%s", proxy.readiness()).isTrue();
                }
                settings.property("ssl.endpoint.identification.algorithm", "");
                try (ProxyProcess proxy = settings.start()) {
                    boolean ready = Deadline.after(PATIENCE).await(proxy::isReady);
                    assertThat(ready).as("%s", proxy.readiness()).isTrue();
                }
            }
        }
    }

    /**
     * Runs a producer, a consumer and an admin client with these keys. After the warm-up, at least 99 of 100 records
     * must go by RDMA.
     */
    private static void serves(ProxyProcess proxy, Map<String, Object> keys) throws Exception {
        String topic = newTopic();
        Map<String, Object> settings = new HashMap<>(keys);
        settings.put("bootstrap.servers", proxy.bootstrapServers());
        try (KafkaProducer<String, String> producer =
                        new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
                KafkaConsumer<String, String> consumer =
                        new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            TopicPartition partition = new TopicPartition(topic, 0);
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            PathCounts start = PathCounts.in(proxy.metrics());
            boolean warm = Deadline.after(PATIENCE).await(() -> {
                exchange(producer, consumer, topic, 1);
                PathCounts since = PathCounts.in(proxy.metrics()).since(start);
                return since.rdmaProduced() > 0 && since.rdmaFetched() > 0;
            });
            assertThat(warm).as("RDMA is in use%s", proxy.logTail()).isTrue();
            PathCounts before = PathCounts.in(proxy.metrics());
            exchange(producer, consumer, topic, RECORDS);
            PathCounts since = PathCounts.in(proxy.metrics()).since(before);
            assertThat(since.rdmaProduced()).as("%s", since).isGreaterThanOrEqualTo((long) (RDMA_SHARE * RECORDS));
            assertThat(since.rdmaFetched()).as("%s", since).isGreaterThanOrEqualTo((long) (RDMA_SHARE * RECORDS));
            assertThat(since.rdmaShare()).as("%s", since).isGreaterThanOrEqualTo(RDMA_SHARE);
        }
        assertThat(topicsSeen(proxy, keys)).contains(topic);
    }

    private static String newTopic() throws Exception {
        String topic = "of-alice-" + ++topics;
        broker.admin()
                .createTopics(List.of(new NewTopic(topic, 1, (short) 1)))
                .all()
                .get(20, TimeUnit.SECONDS);
        broker.allow(ALICE, topic, AclOperation.DESCRIBE, AclOperation.READ, AclOperation.WRITE);
        return topic;
    }

    /** Sends this many records and awaits all, in order. */
    private static void exchange(
            KafkaProducer<String, String> producer, KafkaConsumer<String, String> consumer, String topic, int count) {
        List<String> sent = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            sent.add(topic + " " + i);
            producer.send(new ProducerRecord<>(topic, sent.get(i)));
        }
        producer.flush();
        List<String> received = new ArrayList<>();
        Deadline deadline = Deadline.after(PATIENCE);
        while (received.size() < count && !deadline.isOver()) {
            for (ConsumerRecord<String, String> one : consumer.poll(Duration.ofMillis(200))) {
                received.add(one.value());
            }
        }
        assertThat(received).isEqualTo(sent);
    }

    private static Iterable<String> topicsSeen(ProxyProcess proxy, Map<String, Object> keys) throws Exception {
        Map<String, Object> settings = new HashMap<>(keys);
        settings.put("bootstrap.servers", proxy.bootstrapServers());
        try (Admin admin = Admin.create(settings)) {
            return admin.listTopics().names().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }
}
