// SPDX-License-Identifier: Apache-2.0
/**
 * Measures the same workloads over three ways in turn: straight to the broker, through the proxy with RDMA off, and on. Method and results:
 * docs/benchmarks.md.
 */
package io.slipstream.bench;
