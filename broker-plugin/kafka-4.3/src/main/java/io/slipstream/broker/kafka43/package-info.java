// SPDX-License-Identifier: Apache-2.0
/**
 * Kafka 4.3: the names and types that differ between the lines. {@link io.slipstream.broker.kafka.server.BrokerVersion}
 * lists them.
 */
package io.slipstream.broker.kafka43;
