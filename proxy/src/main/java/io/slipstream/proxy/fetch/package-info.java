// SPDX-License-Identifier: Apache-2.0
/**
 * Fetch by RDMA: slots are read, {@link io.slipstream.proxy.fetch.FetchPlanner} decides, segments are read, and
 * the response is made here. The plugin is asked only where an offset lies; the broker's processor does nothing
 * else. Confined to the event loop of the client connection; what is read is kept for other clients of that loop.
 * A response belongs to the session once it was handed over.
 */
package io.slipstream.proxy.fetch;
