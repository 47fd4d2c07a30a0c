// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.server;

import io.slipstream.broker.config.PluginConfig;
import io.slipstream.broker.config.PluginKeys;
import io.slipstream.broker.control.SocketDirectory;
import io.slipstream.broker.kafka.BrokerHandle;
import io.slipstream.rdma.RdmaDevice;
import io.slipstream.rdma.RdmaProvider;
import java.io.IOException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chooses the provider of the data path. {@code auto} opens an RDMA device if there is one, else shared memory, and
 * logs the reason at INFO in both cases.
 */
final class DeviceChoice {
    static final String SHM = "shm";
    static final String VERBS = "verbs";

    private static final String AUTO = "auto";
    private static final String ANY_ADDRESS_OF_THE_DEVICE = ":0";
    private static final Logger log = LoggerFactory.getLogger(DeviceChoice.class);

    private DeviceChoice() {}

    /** Opens the configured provider. Throws IOException with the key and the reason if that fails. */
    static RdmaDevice open(PluginConfig config) throws IOException {
        if (!config.provider().equals(AUTO)) {
            return open(config, config.provider());
        }
        try {
            RdmaDevice device = open(config, VERBS);
            log.info("{}=auto: verbs, this host has an RDMA device", PluginKeys.PROVIDER);
            return device;
        } catch (IOException | RuntimeException | LinkageError reason) {
            log.info("{}=auto: shm, because verbs cannot be used: {}", PluginKeys.PROVIDER, reason.getMessage());
            return open(config, SHM);
        }
    }

    private static RdmaDevice open(PluginConfig config, String name) throws IOException {
        RdmaProvider provider = RdmaProvider.named(name)
                .orElseThrow(() -> new IOException(PluginKeys.PROVIDER + "=" + name + ": there is no such provider"));
        Optional<String> reason = provider.unavailableReason();
        if (reason.isPresent()) {
            throw new IOException(PluginKeys.PROVIDER + "=" + name + " is not available here: " + reason.get());
        }
        return provider.open(config.device());
    }

    /** Returns the address on which the device listens for queue pairs. */
    static String listenAddress(RdmaDevice device, BrokerHandle broker, SocketDirectory directory) throws IOException {
        PluginConfig config = broker.config();
        if (device.provider().equals(VERBS)) {
            return config.rdmaAddress() == null
                    ? ANY_ADDRESS_OF_THE_DEVICE
                    : config.rdmaAddress().toString();
        }
        return directory
                .socket(broker.clusterId(), broker.nodeId(), device.provider())
                .toString();
    }
}
