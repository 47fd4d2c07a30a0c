// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.config;

import java.util.Map;

/**
 * Keys of earlier releases that have no effect. For one release the plugin accepts them with a warning. After that they
 * are unknown, and an unknown key makes the plugin inert.
 */
public final class RetiredKeys {
    private static final String LANDING =
            "the key is retired, and all batches take the request ring. The next release refuses it";
    private static final String UNTRUSTED =
            "the key is retired, and every request is copied before it is read. The next release refuses it";
    private static final String PER_PRINCIPAL =
            "the key is retired, and registered bytes are bounded by broker and proxy. The next release refuses it";
    private static final String POLL =
            "the key is retired, and slipstream.poll.spin.us alone bounds the spin. The next release refuses it";
    /** The keys, with the reasons why they have no effect. */
    public static final Map<String, String> SENTENCES = Map.of(
            PluginKeys.PREFIX + "untrusted.listeners", UNTRUSTED,
            PluginKeys.PREFIX + "registered.bytes.per.principal", PER_PRINCIPAL,
            PluginKeys.PREFIX + "landing", LANDING,
            PluginKeys.PREFIX + "landing.window.bytes", LANDING,
            PluginKeys.PREFIX + "landing.partitions", LANDING,
            PluginKeys.PREFIX + "landing.release.ms", LANDING,
            PluginKeys.PREFIX + "poll", POLL);

    private RetiredKeys() {}
}
