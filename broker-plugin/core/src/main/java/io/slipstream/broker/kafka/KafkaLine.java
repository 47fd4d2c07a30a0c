// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka;

import io.slipstream.broker.fetch.ReadsConfig;
import io.slipstream.broker.fetch.SlotReads;
import io.slipstream.broker.hook.HookPoint;
import io.slipstream.broker.metrics.BrokerGauge;
import io.slipstream.broker.ring.RingThread;
import io.slipstream.broker.session.ObservedChannel;
import io.slipstream.broker.session.ObservedConnection;
import java.util.List;
import java.util.Map;

/**
 * All that differs between the supported lines of Kafka; the only code that names Kafka internals is behind this
 * interface. An implementation must not load a class of the broker before {@link #describe}.
 */
public interface KafkaLine {
    /** For example {@code 4.4}. */
    String name();

    /** Whether a broker of that version, as Kafka's own {@code kafka-version.properties} names it, is of this line. */
    boolean supports(String version);

    /** Life cycle, session binding, and those of the logs for {@link #readableLogs}. */
    List<HookPoint> hooks();

    /** The broker's own settings, as given to it. */
    Map<String, Object> originals(Object brokerServer);

    /** Called once the broker serves. */
    BrokerHandle describe(Object brokerServer, Map<String, Object> originals);

    /** What a request that reached {@code KafkaApis.handleApiVersionsRequest} says; null if it is none. */
    ObservedConnection observe(Object request);

    /** What a {@code KafkaChannel} on which a request arrived says; null if its authentication has no end. */
    ObservedChannel observeChannel(Object channel);

    /**
     * Request handler threads that take their requests from the rings, one for each {@link RingThread}. Not started
     * yet.
     */
    RequestHandlers requestHandlers(BrokerHandle broker, List<RingThread> threads);

    /** Enters them in the broker's own registry of metrics, and so in its JMX, until what this returns is closed. */
    AutoCloseable publish(List<BrokerGauge> gauges);

    /** One instance for the broker. */
    SlotReads readableLogs(BrokerHandle broker, ReadsConfig bounds);
}
