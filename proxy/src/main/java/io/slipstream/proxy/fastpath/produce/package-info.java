/** Produce by RDMA: the client's request rides the link's request ring, byte for byte, and the broker's reply rides back. */
package io.slipstream.proxy.fastpath.produce;
