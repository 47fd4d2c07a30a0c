// SPDX-License-Identifier: Apache-2.0
package io.slipstream.containers.workload;

/** A record as the reader that judges found it in a broker's log. */
record LoggedRecord(String topic, int partition, long offset, byte[] value) {}
