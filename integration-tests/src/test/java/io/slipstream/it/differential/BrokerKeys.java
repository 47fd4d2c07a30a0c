// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import io.slipstream.process.BrokerProcess;
import io.slipstream.process.ProxyProcess;
import java.util.Map;
import java.util.TreeMap;

/**
 * Broker settings beyond those of the fixture: those of the suite, overridden by {@code
 * -Dslipstream.broker.properties=key=value,key=value}. Keys of the plugin go only to brokers with it; Kafka's own go to
 * all, so that arms differ in nothing else.
 */
final class BrokerKeys {
    private static final String OF_RUN = "slipstream.broker.properties";
    private static final String PROVIDER = "slipstream.provider";
    private static final String PLUGIN_PREFIX = "slipstream.";
    private static final String CONTROL_TIMEOUT_MS = "rdma.control.timeout.ms";
    /**
     * A request waits a tenth of this for a credit and then takes TCP. A smaller value may be too short for the last of
     * 300 in a slow emulated machine.
     */
    private static final String LONG_ENOUGH_MS = "300000";

    private final Map<String, String> values;

    BrokerKeys(Map<String, String> ofSuite) {
        values = new TreeMap<>(ofSuite);
        for (String pair : System.getProperty(OF_RUN, "").split(",")) {
            if (!pair.isBlank()) {
                int equals = pair.indexOf('=');
                if (equals < 1) {
                    throw new IllegalArgumentException("-D" + OF_RUN + ": '" + pair + "' is not key=value");
                }
                values.put(pair.substring(0, equals).strip(), pair.substring(equals + 1));
            }
        }
    }

    /** Prevents fallbacks to TCP caused by a slow machine. */
    ProxyProcess.Builder apply(ProxyProcess.Builder builder) {
        return overVerbs() ? builder.property(CONTROL_TIMEOUT_MS, LONG_ENOUGH_MS) : builder;
    }

    private boolean overVerbs() {
        return "verbs".equals(values.get(PROVIDER));
    }

    /** @param plugin whether the broker has the plugin */
    BrokerProcess.Builder apply(BrokerProcess.Builder builder, boolean plugin) {
        values.forEach((key, value) -> {
            if (plugin && key.equals(PROVIDER) && overVerbs()) {
                builder.withVerbs();
            } else if (plugin || !key.startsWith(PLUGIN_PREFIX)) {
                builder.property(key, value);
            }
        });
        return builder;
    }
}
