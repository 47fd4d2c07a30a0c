package io.slipstream.broker.kafka;

import io.slipstream.broker.config.PluginConfig;

/**
 * The broker that the plugin serves. Objects of the broker's own types are passed as Object: only the adapter of its line knows them.
 *
 * @param brokerServer the {@code kafka.server.BrokerServer}
 * @param kafkaApis its {@code kafka.server.KafkaApis}
 * @param bootId random for each start of the broker
 * @param requestMaxBytes the broker's {@code socket.request.max.bytes}
 * @param fetchMaxBytes the broker's {@code fetch.max.bytes}
 * @param replicaSelector whether the broker has a replica selector
 */
public record BrokerHandle(
        Object brokerServer,
        Object kafkaApis,
        String clusterId,
        int nodeId,
        long bootId,
        int requestMaxBytes,
        int fetchMaxBytes,
        boolean replicaSelector,
        PluginConfig config) {}
