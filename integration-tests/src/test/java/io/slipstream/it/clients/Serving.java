// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.clients;

import io.slipstream.harness.PluginCounts;
import io.slipstream.harness.raw.RawTopics;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Deadline;
import io.slipstream.process.MetricSamples;
import io.slipstream.process.PathCounts;
import io.slipstream.process.ProxyProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** One broker with the agent and one proxy for all client tests of a run; a parameter of their methods. */
public final class Serving implements AutoCloseable {
    private static final Duration PLUGIN_PATIENCE = Duration.ofSeconds(20);
    private static final Duration LINK_PATIENCE = Duration.ofSeconds(30);

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
        if (!hasLink()) {
            String log = proxy.logTail();
            close();
            throw new IllegalStateException("the proxy has no link" + log);
        }
    }

    private boolean hasLink() {
        try {
            return proxy.awaitLink(LINK_PATIENCE);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            return false;
        }
    }

    String proxyBootstrap() {
        return proxy.bootstrapServers();
    }

    MetricSamples metrics() {
        return proxy.metrics();
    }

    /** Returns a measurement of the plugin by its name in JMX. */
    long pluginGauge(String name) throws Exception {
        try (PluginCounts plugin = PluginCounts.of(broker)) {
            return plugin.gauge(name);
        }
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
