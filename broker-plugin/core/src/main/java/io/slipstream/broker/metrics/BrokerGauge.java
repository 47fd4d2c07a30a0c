// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.metrics;

import java.util.Map;
import java.util.function.LongSupplier;

/** A series as the broker's own registry of metrics takes it. Any thread may ask for its value. */
public record BrokerGauge(String name, Map<String, String> tags, LongSupplier value) {}
