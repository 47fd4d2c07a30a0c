// SPDX-License-Identifier: Apache-2.0
/**
 * {@code ./slipstream bench transport}: latencies of single operations of {@code rdma-transport} between two processes,
 * compared in one run with perftest, the InfiniBand community's benchmark in C.
 */
package io.slipstream.bench.transport;
