// SPDX-License-Identifier: Apache-2.0
/**
 * The fast path of client connections. It binds a client's own, broker-authenticated connection to a link by a nonce.
 * Requests wait for the binding until a deadline; then they go to {@code ring} or {@code fetch}. Confined to the
 * client's event loop; {@link io.slipstream.proxy.rdma.RdmaFastPathFactory} is shared by all.
 */
package io.slipstream.proxy.rdma;
