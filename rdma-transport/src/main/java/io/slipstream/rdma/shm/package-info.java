// SPDX-License-Identifier: Apache-2.0
/**
 * One-sided operations between two processes of one host. Each end maps the other's exported memory and an inbox for
 * messages. {@link io.slipstream.rdma.shm.InboxLayout} and {@link io.slipstream.rdma.shm.Message} define the bytes they
 * exchange.
 */
package io.slipstream.rdma.shm;
