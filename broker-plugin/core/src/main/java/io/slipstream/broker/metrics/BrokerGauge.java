// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.metrics;

import java.util.Map;
import java.util.function.LongSupplier;

/** A series in the form of the broker's metrics registry. Any thread may read its value. */
public record BrokerGauge(String name, Map<String, String> tags, LongSupplier value) {}
