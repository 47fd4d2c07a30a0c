// SPDX-License-Identifier: Apache-2.0
/**
 * The rings of a link at the broker. Requests of proxies arrive in a request ring and go, in the order of each client
 * connection, to a {@link io.slipstream.broker.ring.RingHandler}. Answers return through a reply ring. Each link
 * belongs to one {@link io.slipstream.broker.ring.RingThread}.
 */
package io.slipstream.broker.ring;
