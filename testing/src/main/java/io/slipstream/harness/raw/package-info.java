// SPDX-License-Identifier: Apache-2.0
/**
 * A Kafka client without client library: one socket, whole frames, no retries. Differential tests and benchmarks use it
 * because client libraries hide the differences they compare.
 */
package io.slipstream.harness.raw;
