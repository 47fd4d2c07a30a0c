// SPDX-License-Identifier: Apache-2.0
/**
 * Proxy and plugin on one thread in virtual time. Links, rings, credits, grants, leases, slots, reads and fetches of
 * followers are the project's own code. The RDMA device is simulated, and the broker's log is a model. The seed
 * determines the whole run.
 */
package io.slipstream.simulation;
