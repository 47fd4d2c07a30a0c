/**
 * Proxy and plugin in one thread and virtual time. Links, rings, credits, grants, leases, slots and reads are the
 * project's own code. The RDMA device is simulated, and the broker's log is a model. One number, the seed, determines a
 * whole run.
 */
package io.slipstream.simulation;
