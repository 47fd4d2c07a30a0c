/**
 * Fetch by RDMA: slots are read, {@link io.slipstream.proxy.fastpath.fetch.FetchPlanner} decides, segments are read, and the
 * response is made here. The plugin is asked only where an offset lies; the broker's processor does nothing else.
 */
package io.slipstream.proxy.fastpath.fetch;
