// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka;

import io.slipstream.broker.config.PluginConfig;
import java.nio.file.Path;
import java.util.List;

/**
 * The broker that the plugin serves. Objects of the broker's own types are passed as Object: only the adapter of the
 * Kafka line knows these types.
 *
 * @param brokerServer the {@code kafka.server.BrokerServer}
 * @param kafkaApis its {@code kafka.server.KafkaApis}
 * @param bootId random for each start of the broker
 * @param requestMaxBytes the broker's {@code socket.request.max.bytes}
 * @param fetchMaxBytes the broker's {@code fetch.max.bytes}
 * @param replicaSelector whether the broker has a replica selector
 * @param logDirs the broker's {@code log.dirs}
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
        List<Path> logDirs,
        PluginConfig config) {}
