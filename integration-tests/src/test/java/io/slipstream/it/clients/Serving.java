package io.slipstream.it.clients;

import io.slipstream.harness.BrokerLine;
import io.slipstream.harness.BrokerProcess;
import io.slipstream.harness.Deadline;
import io.slipstream.harness.PathCounts;
import io.slipstream.harness.ProxyProcess;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** One broker with the agent and one proxy for all client tests of a test run; a parameter of their methods. */
public final class Serving implements AutoCloseable {
    private static final Duration PLUGIN_PATIENCE = Duration.ofSeconds(20);
    private static final AtomicInteger TOPICS = new AtomicInteger();

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
        proxy = ProxyProcess.builder(broker).start();
    }

    String proxyBootstrap() {
        return proxy.bootstrapServers();
    }

    PathCounts counts() {
        return PathCounts.in(proxy.metrics());
    }

    String proxyLogTail() {
        return proxy.logTail();
    }

    /** Makes a topic of that many partitions and gives its name. */
    String newTopic(String prefix, int partitions) throws Exception {
        String topic = prefix + "-" + TOPICS.incrementAndGet();
        Map<String, Object> settings = Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, broker.bootstrapServers());
        try (Admin admin = Admin.create(settings)) {
            admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1)))
                    .all()
                    .get(30, TimeUnit.SECONDS);
        }
        return topic;
    }

    @Override
    public void close() {
        proxy.close();
        broker.close();
    }

    /** Starts the fixture when the first test asks for it; JUnit closes it after the last one. */
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
