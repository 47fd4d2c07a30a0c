/**
 * {@code slipstream doctor}: one check for each thing that RDMA or the quickstart depends on. A finding says how a
 * thing is on this machine, and what to do about it. The checks need no broker, no proxy and no checkout.
 */
package io.slipstream.doctor;
