// SPDX-License-Identifier: Apache-2.0
/**
 * {@code slipstream quickstart}: a stock broker with the agent, a proxy, and a demonstration with stock clients. The
 * demonstration counts delivered records and the share that went by RDMA. With {@code --secure} broker and proxy serve
 * only TLS with SASL, and the demonstration attempts forbidden operations.
 */
package io.slipstream.quickstart;
