// SPDX-License-Identifier: Apache-2.0
/**
 * The names and types of Kafka 4.3 that differ between the lines.
 * {@link io.slipstream.broker.kafka.server.BrokerVersion} lists them.
 */
package io.slipstream.broker.kafka43;
