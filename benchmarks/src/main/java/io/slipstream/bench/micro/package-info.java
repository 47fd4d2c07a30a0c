// SPDX-License-Identifier: Apache-2.0
/**
 * JMH benchmarks of single steps of the data path. {@link io.slipstream.bench.micro.MicroBenchMain} runs them with
 * fixed flags.
 */
package io.slipstream.bench.micro;
