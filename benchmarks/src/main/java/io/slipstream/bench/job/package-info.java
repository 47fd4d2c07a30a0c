// SPDX-License-Identifier: Apache-2.0
/**
 * Whole jobs at exactly-once, each with stock clients in its own JVM. They print their rate, as Kafka's tools do. Only
 * the main classes are used from outside.
 */
package io.slipstream.bench.job;
