// SPDX-License-Identifier: Apache-2.0
/**
 * The parts of a device, a queue pair and a completion queue that are the same in every provider: among them counters,
 * and the grace period after which memory that the owner thread used can be freed.
 */
package io.slipstream.rdma.provider;
