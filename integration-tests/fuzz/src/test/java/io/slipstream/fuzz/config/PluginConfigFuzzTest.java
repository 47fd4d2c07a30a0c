// SPDX-License-Identifier: Apache-2.0
package io.slipstream.fuzz.config;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.slipstream.broker.config.HostPort;
import io.slipstream.broker.config.PluginConfig;
import io.slipstream.broker.config.PluginKeys;
import io.slipstream.fuzz.Settings;
import java.util.Map;
import org.apache.kafka.common.config.ConfigException;

/**
 * The plugin's keys in a {@code server.properties}. A configuration is refused with the key's name, or every value is
 * usable. The input is a properties file in which {@code #N} stands for the N-th key of the definition.
 */
class PluginConfigFuzzTest {
    private static final int MAX_PORT = 65_535;

    @FuzzTest
    void shouldBeUsableOrRefusedByName(byte[] input) {
        Map<String, String> settings = Settings.of(input, PluginKeys.DEFINITION.names());
        PluginConfig config;
        try {
            config = PluginConfig.of(settings);
        } catch (ConfigException refused) {
            Settings.requireNamed(refused, settings, PluginKeys.DEFINITION.names());
            return;
        }
        use(config);
        require(config.equals(PluginConfig.of(settings)), "a second reading differs");
    }

    private static void use(PluginConfig config) {
        require(!config.directory().toString().isEmpty(), "no directory");
        for (String provider : new String[] {"shm", "verbs"}) {
            requireAddress(config.control().address(provider));
        }
        requireAddress(config.rdmaAddress());
        require(config.device() != null && config.provider() != null, "device");
        require(Integer.bitCount(config.ringBytes()) == 1, "the ring size is not a power of two");
        require(config.ringCredits() > 0 && config.maxLinks() > 0 && config.maxSessions() > 0, "limits");
        require(config.slots() > 0 && config.leaseMs() > 0 && config.handlerThreads() > 0, "limits");
        require(config.registeredBytes() >= 0 && config.readWindowBytes() > 0 && config.pollSpinNs() >= 0, "limits");
    }

    /** The text of an accepted address must give the same address. */
    private static void requireAddress(HostPort address) {
        if (address != null) {
            require(address.port() >= 0 && address.port() <= MAX_PORT, "port " + address.port());
            require(!address.host().isEmpty(), "no host");
            if (!HostPort.parse(address.toString()).equals(address)) {
                throw new AssertionError(address + " has the text of another address");
            }
        }
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }
}
