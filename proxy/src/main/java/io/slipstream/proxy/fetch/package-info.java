// SPDX-License-Identifier: Apache-2.0
/**
 * Fetch by RDMA: the proxy reads slots, {@link io.slipstream.proxy.fetch.FetchPlanner} decides, and the proxy reads
 * segments and builds the response. The plugin only locates offsets; the broker's CPU does nothing else. Confined to
 * the event loop of the client connection; data is kept for other clients of that loop. A response belongs to the
 * session once it was handed over.
 */
package io.slipstream.proxy.fetch;
