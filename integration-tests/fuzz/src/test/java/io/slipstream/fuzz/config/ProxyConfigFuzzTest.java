// SPDX-License-Identifier: Apache-2.0
package io.slipstream.fuzz.config;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.slipstream.fuzz.Settings;
import io.slipstream.proxy.config.ProxyConfig;
import io.slipstream.proxy.config.ProxyKeys;
import java.util.Map;
import org.apache.kafka.common.config.ConfigException;

/**
 * The proxy's configuration from any text. A configuration is refused with the key's name, or every value is usable.
 * The input is a properties file in which {@code #N} stands for the N-th key of the definition.
 */
class ProxyConfigFuzzTest {
    private static final int MAX_PORT = 65_535;

    @FuzzTest
    void shouldBeUsableOrRefusedByName(byte[] input) {
        Map<String, String> settings = Settings.of(input, ProxyKeys.DEFINITION.names());
        ProxyConfig config;
        try {
            config = ProxyConfig.of(settings);
        } catch (ConfigException refused) {
            Settings.requireNamed(refused, settings, ProxyKeys.DEFINITION.names());
            return;
        }
        use(config);
        require(config.describe().equals(ProxyConfig.of(settings).describe()), "a second reading differs");
    }

    private static void use(ProxyConfig config) {
        require(!config.bootstrapServers.isEmpty(), "no bootstrap server");
        config.bootstrapServers.forEach(server -> requirePort(server.getPort()));
        requirePort(config.getInt(ProxyKeys.LISTEN_PORT));
        requirePort(config.brokerPortBase());
        requirePort(config.getInt(ProxyKeys.MANAGEMENT_PORT));
        require(!config.advertisedHost().isEmpty(), "no advertised host");
        require(
                !config.getString(ProxyKeys.LISTEN_HOST).isEmpty()
                        && !config.getString(ProxyKeys.MANAGEMENT_HOST).isEmpty(),
                "no host");
        require(!config.directory.toString().isEmpty(), "no directory");
        requirePort(config.rdmaControlPorts(null).of(7));
        require(config.rdmaDevice() != null, "no device");
        require(
                Integer.bitCount(config.getInt(ProxyKeys.RDMA_READ_MEMORY_BYTES)) == 1,
                "memory for reading is not a power of two");
        require(config.eventLoops() > 0, "event loops");
        require(
                config.getInt(ProxyKeys.MAX_FRAME_BYTES) > 0
                        && config.getInt(ProxyKeys.MAX_RESPONSE_BYTES) > 0
                        && config.getInt(ProxyKeys.MAX_IN_FLIGHT) > 0,
                "limits");
        require(
                config.getInt(ProxyKeys.CONNECT_TIMEOUT_MS) > 0
                        && config.getInt(ProxyKeys.KEEP_ALIVE_MS) > 0
                        && config.getInt(ProxyKeys.CLIENT_IDLE_MS) > 0,
                "times");
        require(
                config.getInt(ProxyKeys.METADATA_REFRESH_MS) > 0 && config.getInt(ProxyKeys.BROKER_EXPIRY_MS) > 0,
                "times");
        require(
                config.getInt(ProxyKeys.DRAIN_TIMEOUT_MS) >= 0 && config.getInt(ProxyKeys.RDMA_CONTROL_TIMEOUT_MS) > 0,
                "times");
        require(
                config.getString(ProxyKeys.RDMA_PROVIDER) != null
                        && (config.getBoolean(ProxyKeys.RDMA_ENABLED) || !config.getBoolean(ProxyKeys.RDMA_ENABLED)),
                "provider");
    }

    private static void requirePort(int port) {
        require(port >= 0 && port <= MAX_PORT, "port " + port);
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }
}
