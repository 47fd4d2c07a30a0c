// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.config;

import io.slipstream.protocol.config.KeyDefinitions;
import io.slipstream.rdma.DeviceConfig;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.config.ConfigException;

/**
 * The {@code slipstream.*} keys of the broker's own {@code server.properties}.
 *
 * @param rdmaAddress address on which the broker accepts queue pairs with verbs; null for the device's own address and
 *     any port
 * @param control settings of the control channel
 * @param maxLinksPerConnection links of one proxy
 * @param maxSessionsPerPrincipal bound sessions of one principal; 0 for no bound
 * @param replicates whether the broker's followers fetch by RDMA
 * @param metricsAddress address of the HTTP page with the meters; null for none
 */
public record PluginConfig(
        boolean enabled,
        Path directory,
        String provider,
        DeviceConfig device,
        HostPort rdmaAddress,
        ControlConfig control,
        long pollSpinNs,
        int handlerThreads,
        int ringBytes,
        int ringCredits,
        int maxLinks,
        int maxLinksPerConnection,
        int maxSessions,
        int maxSessionsPerPrincipal,
        int slots,
        int leaseMs,
        long registeredBytes,
        int readWindowBytes,
        boolean replicates,
        HostPort metricsAddress,
        Exclusions exclusions) {
    private static final String BROKER_LISTENERS = "listeners";

    /**
     * Parses the plugin's keys out of the broker's settings. Throws ConfigException for an unknown {@code slipstream.*}
     * key or an illegal value; the message names the key.
     */
    public static PluginConfig of(Map<String, ?> brokerOriginals) {
        Set<String> known = new TreeSet<>(PluginKeys.DEFINITION.names());
        known.addAll(PluginKeys.CONTROL_TLS.names());
        Set<String> unknown = new TreeSet<>(brokerOriginals.keySet());
        unknown.removeIf(key ->
                !key.startsWith(PluginKeys.PREFIX) || known.contains(key) || RetiredKeys.SENTENCES.containsKey(key));
        if (!unknown.isEmpty()) {
            throw new ConfigException(
                    "unknown key " + String.join(", ", unknown) + "; known are " + String.join(", ", known));
        }
        Map<String, Object> values = PluginKeys.DEFINITION.parse(brokerOriginals);
        ControlConfig control = ControlConfig.of(values, brokerOriginals);
        return new PluginConfig(
                (Boolean) values.get(PluginKeys.ENABLED),
                KeyDefinitions.path(PluginKeys.DIRECTORY, (String) values.get(PluginKeys.DIRECTORY)),
                (String) values.get(PluginKeys.PROVIDER),
                device(values, control),
                address((String) values.get(PluginKeys.RDMA_ADDRESS)),
                control,
                TimeUnit.MICROSECONDS.toNanos((Integer) values.get(PluginKeys.POLL_SPIN_US)),
                (Integer) values.get(PluginKeys.HANDLER_THREADS),
                (Integer) values.get(PluginKeys.RING_BYTES),
                (Integer) values.get(PluginKeys.RING_CREDITS),
                (Integer) values.get(PluginKeys.MAX_LINKS),
                (Integer) values.get(PluginKeys.MAX_LINKS_PER_CONNECTION),
                (Integer) values.get(PluginKeys.MAX_SESSIONS),
                (Integer) values.get(PluginKeys.MAX_SESSIONS_PER_PRINCIPAL),
                (Integer) values.get(PluginKeys.SLOTS),
                (Integer) values.get(PluginKeys.LEASE_MS),
                (Long) values.get(PluginKeys.REGISTERED_BYTES),
                (Integer) values.get(PluginKeys.READ_WINDOW_BYTES),
                !"off".equals(values.get(PluginKeys.REPLICATION)),
                address((String) values.get(PluginKeys.METRICS_ADDRESS)),
                new Exclusions(
                        listeners((String) values.get(PluginKeys.LISTENERS_EXCLUDED), brokerOriginals),
                        Exclusions.principals((String) values.get(PluginKeys.PRINCIPALS_EXCLUDED)),
                        TopicSet.parse((String) values.get(PluginKeys.TOPICS_EXCLUDED))));
    }

    static HostPort address(String given) {
        return given.isEmpty() ? null : HostPort.parse(given);
    }

    /** Rejects names of listeners that the broker does not have. A misspelt name would leave a listener unprotected. */
    private static Set<String> listeners(String given, Map<String, ?> brokerOriginals) {
        Set<String> named = Exclusions.split(given.toUpperCase(Locale.ROOT), ",");
        if (!named.contains(Exclusions.ALL) && brokerOriginals.get(BROKER_LISTENERS) instanceof String listeners) {
            Set<String> known = new TreeSet<>();
            for (String listener : listeners.split(",")) {
                known.add(listener.split(":", 2)[0].strip().toUpperCase(Locale.ROOT));
            }
            Set<String> missing = new TreeSet<>(named);
            missing.removeAll(known);
            if (!missing.isEmpty()) {
                throw new ConfigException(
                        PluginKeys.LISTENERS_EXCLUDED,
                        given,
                        "the broker has no listener " + String.join(", ", missing) + "; it has "
                                + String.join(", ", known));
            }
        }
        return named;
    }

    private static DeviceConfig device(Map<String, Object> values, ControlConfig control) {
        String name = (String) values.get(PluginKeys.RDMA_DEVICE);
        return new DeviceConfig(
                name.isEmpty() ? null : name,
                (Integer) values.get(PluginKeys.RDMA_PORT),
                (Integer) values.get(PluginKeys.RDMA_GID_INDEX),
                (Integer) values.get(PluginKeys.RDMA_RETRY_COUNT),
                (Integer) values.get(PluginKeys.RDMA_RNR_RETRY_COUNT),
                control.peers());
    }
}
