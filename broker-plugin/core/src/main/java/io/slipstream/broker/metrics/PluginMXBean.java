// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.metrics;

import java.util.Map;

/** The plugin's counters over JMX, as {@code io.slipstream.broker:type=Plugin}. */
public interface PluginMXBean {
    Map<String, Long> getCounters();
}
