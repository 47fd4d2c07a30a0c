// SPDX-License-Identifier: Apache-2.0
/**
 * A Kafka client without a client library: one blocking socket, whole frames, nothing retried, nothing hidden. Differential
 * tests and benchmarks use it, because what they compare is exactly what client libraries smooth over.
 */
package io.slipstream.harness.raw;
