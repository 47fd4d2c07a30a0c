// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.harness.raw.FetchRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RawTopics;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.harness.secured.Certificates;
import io.slipstream.harness.secured.StoreFormat;
import io.slipstream.it.Thorough;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Checkout;
import io.slipstream.process.ChildProcess;
import io.slipstream.process.Deadline;
import io.slipstream.process.JvmProfile;
import io.slipstream.process.Patience;
import io.slipstream.process.ProxyProcess;
import io.slipstream.process.TempDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Consumers that ask for more than the proxy's memory and do not take it, with the memory of the Helm chart: all get
 * their records, and nothing remains of it.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class SlowConsumersIT {
    private static final int VALUE_BYTES = 1_000_000;
    private static final int RECORDS = 130;
    private static final int RECORDS_OF_EACH = 60;
    private static final int CONSUMERS = 10;
    private static final int PAUSE_MS = Patience.ms(3_000);
    private static final int SLOW_CLIENTS = 200;

    private static BrokerProcess broker;
    private static TempDirectory directory;
    private static RawTopics topics;
    private static TopicRef topic;

    @BeforeAll
    static void start() throws IOException {
        directory = TempDirectory.create("ss-slow");
        broker = BrokerProcess.builder(BrokerLine.NEWEST).withAgent().start();
        topics = new RawTopics(broker.bootstrapServers());
        topic = topics.create("large", 1);
        Map<String, Object> settings = Map.of("bootstrap.servers", broker.bootstrapServers());
        try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            byte[] value = new byte[VALUE_BYTES];
            for (int i = 0; i < RECORDS; i++) {
                value[0] = (byte) i;
                producer.send(new ProducerRecord<>(topic.name(), 0, null, value.clone()));
            }
            producer.flush();
        }
    }

    @AfterAll
    static void stop() throws IOException {
        topics.close();
        broker.close();
        directory.close();
    }

    /** A proxy with the JVM options of the Helm chart. */
    private static ProxyProcess.Builder proxy() throws IOException {
        String chart = Files.readString(Checkout.root().resolve("deploy/helm/slipstream/values.yaml"));
        Matcher options = Pattern.compile("javaOptions: -Xmx(\\S+) (\\S+)").matcher(chart);
        assertThat(options.find()).isTrue();
        return ProxyProcess.builder(broker)
                .profile(JvmProfile.SIDECAR)
                .heap(options.group(1))
                .jvmArgument(options.group(2));
    }

    private static void consume(ProxyProcess proxy, Map<String, String> settings) {
        List<String> command = new ArrayList<>(List.of(
                ChildProcess.java(),
                "-Xmx2g",
                "-XX:+UseParallelGC",
                "-cp",
                System.getProperty("java.class.path"),
                PausingConsumers.class.getName(),
                topic.name(),
                Integer.toString(CONSUMERS),
                Integer.toString(RECORDS_OF_EACH),
                Integer.toString(PAUSE_MS),
                Integer.toString(Patience.ms(60_000)),
                "bootstrap.servers=" + proxy.bootstrapServers()));
        settings.forEach((key, value) -> command.add(key + '=' + value));
        ChildProcess consumers = ChildProcess.start(
                "consumers", command, directory.path(), directory.path().resolve("consumers.log"));
        try {
            int status = consumers.awaitExit(Patience.ofSeconds(90));
            assertThat(status)
                    .as("exit of the consumers%s%s", consumers.logTail(), proxy.logTail())
                    .isZero();
        } finally {
            consumers.stop();
        }
    }

    private static long held(ProxyProcess proxy) {
        return proxy.metrics().count("slipstream_outbound_bytes");
    }

    private static void assertUnharmed(ProxyProcess proxy) throws IOException {
        assertThat(Files.readString(proxy.log())).doesNotContain("OutOfMemoryError");
        assertThat(proxy.metrics().count("slipstream_link_failures_total"))
                .as("links lost")
                .isZero();
        assertThat(Deadline.after(Patience.ofSeconds(20)).await(() -> held(proxy) == 0))
                .as("all is given back, not %d bytes", held(proxy))
                .isTrue();
    }

    private static RawClient client(ProxyProcess proxy) throws IOException {
        MetadataResponseBroker node = RawTopics.onlyBroker(proxy.bootstrapServers());
        return RawClient.connect(node.host() + ':' + node.port());
    }

    private static void fetch(RawClient client, int offset, int sizeBytes) throws IOException {
        client.send(FetchRequests.version(FetchRequests.NEWEST)
                .add(topic, 0, offset, sizeBytes)
                .frame());
    }

    private static long fallbacks(ProxyProcess proxy) {
        return proxy.metrics().count("slipstream_fallbacks_total");
    }

    /** The first Fetch may fall back while its session is bound. */
    private static void assertLargeFetchesByRdma(ProxyProcess proxy) throws IOException {
        try (RawClient client = client(proxy)) {
            fetch(client, 0, VALUE_BYTES);
            client.receiveAndDiscard();
            long before = fallbacks(proxy);
            for (int i = 0; i < 5; i++) {
                fetch(client, i, PausingConsumers.FETCH_BYTES);
                assertThat(client.receiveAndDiscard()).isGreaterThan(PausingConsumers.FETCH_BYTES - 2 * VALUE_BYTES);
            }
            assertThat(fallbacks(proxy)).as("fallbacks").isEqualTo(before);
        }
    }

    static List<String> providers() {
        return Thorough.drawn(List.of("shm", "tcp"));
    }

    @ParameterizedTest
    @MethodSource("providers")
    void shouldServeConsumersThatPause(String provider) throws IOException {
        try (ProxyProcess proxy =
                proxy().property(ProxyProcess.RDMA_PROVIDER, provider).start()) {
            consume(proxy, Map.of());
            assertUnharmed(proxy);
            if (provider.equals("shm")) {
                assertLargeFetchesByRdma(proxy);
            }
        }
    }

    @Test
    @Tag("thorough")
    void shouldServeConsumersThatPauseWithTls() throws IOException {
        Certificates certificates =
                Certificates.in(directory.directory("certificates")).issue("proxy");
        ProxyProcess.Builder settings = proxy().property("listen.security.protocol", "SSL");
        certificates
                .identity("proxy", StoreFormat.PKCS12)
                .forEach((key, value) -> settings.property("listen." + key, value));
        Map<String, String> tls = certificates.trust(StoreFormat.PEM);
        tls.put("security.protocol", "SSL");
        try (ProxyProcess proxy = settings.start()) {
            consume(proxy, tls);
            assertUnharmed(proxy);
        }
    }

    @Test
    void shouldStayWithinTheBudgetWithManySlowClients() throws IOException {
        try (ProxyProcess proxy = proxy().start()) {
            long limit = proxy.metrics().count("slipstream_max_outbound_bytes");
            List<RawClient> clients = new ArrayList<>();
            try {
                for (int i = 0; i < SLOW_CLIENTS; i++) {
                    clients.add(client(proxy));
                    fetch(clients.get(i), i % RECORDS, VALUE_BYTES + 10_000);
                    if (i % 20 == 0) {
                        assertThat(held(proxy)).isLessThan(limit + (1 << 20));
                    }
                }
                assertThat(held(proxy)).isLessThan(limit + (1 << 20));
                for (RawClient client : clients) {
                    assertThat(client.receiveAndDiscard()).isGreaterThan(VALUE_BYTES);
                }
                assertUnharmed(proxy);
            } finally {
                for (RawClient client : clients) {
                    client.close();
                }
            }
        }
    }
}
