// SPDX-License-Identifier: Apache-2.0
/**
 * The interface to the code for one line of Kafka. No other package of the plugin's core depends on Kafka's server
 * classes.
 */
package io.slipstream.broker.kafka;
