// SPDX-License-Identifier: Apache-2.0
/**
 * The broker's logs for the read side: location of an offset, aborted transactions, quotas and counts of Fetch, and the
 * hooks that revoke. The classes name Kafka's storage classes. They are compiled once and run on every supported line.
 */
package io.slipstream.broker.kafka.reads;
