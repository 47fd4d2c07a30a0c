// SPDX-License-Identifier: Apache-2.0
package io.slipstream.containers.workload;

/** A record that the final reader found in a broker's log. */
record LoggedRecord(String topic, int partition, long offset, byte[] value) {}
