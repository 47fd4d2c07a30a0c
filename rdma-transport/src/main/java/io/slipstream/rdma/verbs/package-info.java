// SPDX-License-Identifier: Apache-2.0
/**
 * RDMA devices of the kernel, through libibverbs and librdmacm. One connection thread per device handles connections
 * and events; the owner thread of a completion queue posts and polls.
 */
package io.slipstream.rdma.verbs;
