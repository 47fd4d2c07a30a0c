// SPDX-License-Identifier: Apache-2.0
/**
 * The fetches of this broker's followers, by RDMA. A hook in Kafka's sender of fetches gives each
 * {@code FetchRequest} to a {@link io.slipstream.replication.Fetcher}, which writes it into the request ring of the
 * leader's plugin. The leader's own code answers it. Whatever the ring cannot do goes on in Kafka's sender, over TCP.
 */
package io.slipstream.replication;
