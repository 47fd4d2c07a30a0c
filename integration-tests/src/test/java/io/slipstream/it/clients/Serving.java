// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.harness.raw.RawTopics;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Deadline;
import io.slipstream.process.MetricSamples;
import io.slipstream.process.PathCounts;
import io.slipstream.process.ProxyProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** One broker with the agent and one proxy for all client tests of a run; a parameter of their methods. */
public final class Serving implements AutoCloseable {
    private static final Duration PLUGIN_PATIENCE = Duration.ofSeconds(20);
    private static final Duration LINKS_PATIENCE = Duration.ofSeconds(30);
    private static final int EVENT_LOOPS = 2;

    private final BrokerProcess broker;
    private final ProxyProcess proxy;

    private Serving() {
        broker = BrokerProcess.builder(BrokerLine.NEWEST).withAgent().start();
        boolean pluginServes = Deadline.after(PLUGIN_PATIENCE).await(() -> Files.exists(broker.pluginSocket()));
        if (!pluginServes) {
            String log = broker.logTail();
            broker.close();
            throw new IllegalStateException("the broker's plugin does not serve" + log);
        }
        proxy = ProxyProcess.builder(broker)
                .property("event.loops", Integer.toString(EVENT_LOOPS))
                .start();
        try {
            bringLinksUp();
        } catch (Exception e) {
            close();
            throw new IllegalStateException(e);
        }
    }

    /**
     * Each event loop sets up its link when a client first needs it. Requests wait for the link with a deadline, which
     * a cold JVM on a busy machine may miss. Connections are therefore made until every loop has its link.
     */
    private void bringLinksUp() throws Exception {
        String topic = newTopic("first", 1);
        Map<String, Object> settings = Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, proxy.bootstrapServers());
        boolean up = Deadline.after(LINKS_PATIENCE).await(() -> {
            try (KafkaProducer<String, String> producer =
                    new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
                producer.send(new ProducerRecord<>(topic, "first"));
                producer.flush();
            }
            skipALoop();
            return proxy.metrics().count("slipstream_links_up") >= EVENT_LOOPS;
        });
        assertThat(up).as("a link for each event loop%s", proxy.logTail()).isTrue();
    }

    /**
     * Event loops accept connections in turn. A producer makes two connections, of which only the second needs the
     * link. This third connection moves the next producer's to another loop.
     */
    private void skipALoop() {
        try (Socket socket = new Socket("127.0.0.1", proxy.port())) {
            socket.setTcpNoDelay(true);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String proxyBootstrap() {
        return proxy.bootstrapServers();
    }

    MetricSamples metrics() {
        return proxy.metrics();
    }

    PathCounts counts() {
        return PathCounts.in(proxy.metrics());
    }

    /**
     * Creates a topic with this many partitions and returns its name, when all have leaders. A broker tells of a leader
     * before it is one. A record sent then is refused, the next may be taken, and the first is out of order for ever.
     */
    String newTopic(String prefix, int partitions) throws IOException {
        try (RawTopics topics = new RawTopics(broker.bootstrapServers())) {
            return topics.create(prefix, partitions).name();
        }
    }

    @Override
    public void close() {
        proxy.close();
        broker.close();
    }

    /** Starts the fixture for the first test that requests it; JUnit closes it after the last one. */
    public static final class Extension implements ParameterResolver {
        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == Serving.class;
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            return context.getRoot()
                    .getStore(ExtensionContext.Namespace.create(Serving.class))
                    .computeIfAbsent(Serving.class, key -> new Serving());
        }
    }
}
