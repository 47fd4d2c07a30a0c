/**
 * Proxy and plugin in one thread and virtual time: their own code for links, rings, credits, grants, leases, slots and reads, over a simulated
 * RDMA device and a model of the broker's log. One number, the seed, determines a whole run.
 */
package io.slipstream.simulation;
