// SPDX-License-Identifier: Apache-2.0
/** The plugin's meters: the Prometheus page and the broker's JMX. */
package io.slipstream.broker.metrics;
