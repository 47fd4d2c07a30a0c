/** {@code ./slipstream quickstart}: a broker, a proxy, and a demonstration that counts what went by RDMA. */
package io.slipstream.quickstart;
