// SPDX-License-Identifier: Apache-2.0
/**
 * The plugin's meters, on a page for Prometheus and in the broker's JMX.
 */
package io.slipstream.broker.metrics;
