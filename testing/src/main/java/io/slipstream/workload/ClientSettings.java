// SPDX-License-Identifier: Apache-2.0
package io.slipstream.workload;

import io.slipstream.history.ProducerKind;
import io.slipstream.process.Patience;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.GroupProtocol;
import org.apache.kafka.clients.producer.ProducerConfig;

/**
 * Settings of all clients of a run.
 *
 * @param bootstrap bootstrap address
 * @param requestTimeoutMs timeout of one request
 * @param deliveryTimeoutMs timeout of one record, and of a blocking call of a consumer or an administrator
 * @param groupProtocol protocol of consumers in groups
 */
public record ClientSettings(
        String bootstrap, int requestTimeoutMs, int deliveryTimeoutMs, GroupProtocol groupProtocol) {
    /** With the classic group protocol. */
    public ClientSettings(String bootstrap, int requestTimeoutMs, int deliveryTimeoutMs) {
        this(bootstrap, requestTimeoutMs, deliveryTimeoutMs, GroupProtocol.CLASSIC);
    }

    public static ClientSettings of(String bootstrap) {
        return new ClientSettings(bootstrap, Patience.ms(5_000), Patience.ms(60_000));
    }

    public ClientSettings with(GroupProtocol other) {
        return new ClientSettings(bootstrap, requestTimeoutMs, deliveryTimeoutMs, other);
    }

    Map<String, Object> producer(ProducerKind kind, int acks, String transactionalId, String codec) {
        Map<String, Object> settings = common();
        settings.put(ProducerConfig.ACKS_CONFIG, acks == -1 ? "all" : Integer.toString(acks));
        settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, kind != ProducerKind.PLAIN);
        settings.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, codec);
        settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, deliveryTimeoutMs);
        settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, deliveryTimeoutMs);
        settings.put(ProducerConfig.LINGER_MS_CONFIG, 1);
        if (kind == ProducerKind.TRANSACTIONAL) {
            settings.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, transactionalId);
            settings.put(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, deliveryTimeoutMs);
        }
        return settings;
    }

    Map<String, Object> consumer(String group, boolean readCommitted) {
        Map<String, Object> settings = common();
        if (!group.isEmpty()) {
            settings.put(ConsumerConfig.GROUP_ID_CONFIG, group);
            settings.put(ConsumerConfig.GROUP_PROTOCOL_CONFIG, groupProtocol.name());
        }
        settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, readCommitted ? "read_committed" : "read_uncommitted");
        settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        settings.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, deliveryTimeoutMs);
        return settings;
    }

    Map<String, Object> common() {
        Map<String, Object> settings = new HashMap<>();
        settings.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        settings.put(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, requestTimeoutMs);
        settings.put(CommonClientConfigs.RECONNECT_BACKOFF_MAX_MS_CONFIG, 500);
        return settings;
    }
}
