// SPDX-License-Identifier: Apache-2.0
/** Counters of a completion queue, and the grace period after which memory that its owner thread used can be freed. */
package io.slipstream.rdma.completion;
