// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka;

import io.slipstream.broker.fetch.ReadsConfig;
import io.slipstream.broker.fetch.SlotReads;
import io.slipstream.broker.hook.HookInstaller;
import io.slipstream.broker.hook.HookPoint;
import io.slipstream.broker.metrics.BrokerGauges;
import io.slipstream.broker.metrics.PluginMeters;
import io.slipstream.broker.ring.RingThread;
import io.slipstream.broker.session.ObservedChannel;
import io.slipstream.broker.session.ObservedConnection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The differences between the supported lines of Kafka. Only code behind this interface names Kafka internals. An
 * implementation must not load a class of the broker before {@link #describe}.
 */
public interface KafkaLine {
    /** Returns the name of the line, for example {@code 4.4}. */
    String name();

    /** Returns whether the line supports this version, as named in Kafka's {@code kafka-version.properties}. */
    boolean supports(String version);

    /** Hooks for the broker's life cycle and for session binding, and in its logs, for {@link #readableLogs}. */
    List<HookPoint> hooks();

    /** Returns the broker's settings as it received them. */
    Map<String, Object> originals(Object brokerServer);

    /**
     * Follows these keys in the broker's settings, which {@code kafka-configs} may alter. The result ends it.
     *
     * @param check throws ConfigException if the broker must refuse the settings
     * @param altered receives the settings after a change, on a broker's thread; must not block
     */
    Runnable follow(
            Object brokerServer,
            Set<String> keys,
            Consumer<Map<String, Object>> check,
            Consumer<Map<String, Object>> altered);

    /** Returns whether the {@code SocketServer} is that of the broker, not of a controller or another broker. */
    boolean isServerOf(Object brokerServer, Object socketServer);

    /** Describes the broker. The plugin calls this once the broker serves. */
    BrokerHandle describe(Object brokerServer, Map<String, Object> originals);

    /**
     * Reads the connection from the argument of {@code KafkaApis.handleApiVersionsRequest}; null if it is no such
     * request.
     */
    ObservedConnection observe(Object request);

    /**
     * Reads the connection from a {@code KafkaChannel} on which a request arrived; null if its authentication does not
     * expire.
     */
    ObservedChannel observeChannel(Object channel);

    /**
     * Creates handler threads that take requests from the rings, one for each {@link RingThread}. The threads are not
     * started.
     */
    RequestHandlers requestHandlers(BrokerHandle broker, PluginMeters meters, List<RingThread> threads);

    /** The broker stops: closes what all request handlers of the broker have shared. */
    void release();

    /** Opens the broker's own metrics registry, and so its JMX. */
    BrokerGauges gauges();

    /** Adds to the hooks, and lets the broker's followers fetch by RDMA, until the result is closed. */
    AutoCloseable replicate(BrokerHandle broker, HookInstaller hooks, PluginMeters meters);

    /** Creates the read side. There is one instance per broker. */
    SlotReads readableLogs(BrokerHandle broker, ReadsConfig bounds);
}
