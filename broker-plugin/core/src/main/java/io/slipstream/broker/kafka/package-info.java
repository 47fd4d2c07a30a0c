// SPDX-License-Identifier: Apache-2.0
/**
 * The interface behind which the code for one line of Kafka stands. No other package of the plugin's core depends on
 * Kafka's server classes.
 */
package io.slipstream.broker.kafka;
