// SPDX-License-Identifier: Apache-2.0
/**
 * Measures the same workloads on three ways in turn: directly at the broker, through the proxy with RDMA off, and with
 * RDMA on. Method and results: docs/benchmarks.md.
 */
package io.slipstream.bench;
