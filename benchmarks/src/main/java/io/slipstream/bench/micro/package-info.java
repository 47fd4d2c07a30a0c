// SPDX-License-Identifier: Apache-2.0
/** JMH benchmarks of single steps of the data path, run by {@link io.slipstream.bench.micro.MicroBenchMain} with fixed flags. */
package io.slipstream.bench.micro;
