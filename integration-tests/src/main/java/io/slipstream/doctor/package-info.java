/** {@code ./slipstream doctor}: what of RDMA and of the quickstart works on this machine, and what to do about the rest. */
package io.slipstream.doctor;
