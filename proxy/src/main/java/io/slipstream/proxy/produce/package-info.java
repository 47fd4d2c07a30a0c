// SPDX-License-Identifier: Apache-2.0
/**
 * Produce by RDMA: which requests may use the ring, and the order of those that must take TCP. Confined to the event
 * loop of the client connection; a request's frame belongs to the session.
 */
package io.slipstream.proxy.produce;
