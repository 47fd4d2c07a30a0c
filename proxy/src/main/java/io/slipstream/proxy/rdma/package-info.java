// SPDX-License-Identifier: Apache-2.0
/**
 * The fast path of client connections. It ties a client's own, broker-authenticated connection to a link by a
 * nonce, lets requests wait for that no longer than a deadline, and hands them to Produce and Fetch. Confined to
 * the client's event loop; {@link io.slipstream.proxy.rdma.RdmaFastPathFactory} is shared by all.
 */
package io.slipstream.proxy.rdma;
