// SPDX-License-Identifier: Apache-2.0
/**
 * Produce by RDMA: which requests may take the ring, and in what order those that may not take TCP. Confined to
 * the event loop of the client connection; a request's frame stays the session's.
 */
package io.slipstream.proxy.produce;
