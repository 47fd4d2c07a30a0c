// SPDX-License-Identifier: Apache-2.0
/**
 * The rings of a link at the broker. Requests of proxies arrive in a request ring and go, in their order, to a request
 * handler thread of the broker. Answers return through a reply ring. Each link belongs to one
 * {@link io.slipstream.broker.ring.RingThread}.
 */
package io.slipstream.broker.ring;
