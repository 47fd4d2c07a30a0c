// SPDX-License-Identifier: Apache-2.0
/**
 * {@code ./slipstream bench transport}: latencies of single operations of {@code rdma-transport} between two processes, against those of perftest,
 * the InfiniBand community's own measurement in C, in the same run.
 */
package io.slipstream.bench.transport;
