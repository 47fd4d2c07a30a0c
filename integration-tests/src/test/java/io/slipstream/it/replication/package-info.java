// SPDX-License-Identifier: Apache-2.0
/** Followers of real brokers that fetch by RDMA. */
package io.slipstream.it.replication;
