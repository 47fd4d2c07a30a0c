// SPDX-License-Identifier: Apache-2.0
/**
 * The initiating end of the connection to one broker's plugin. A {@link io.slipstream.link.BrokerLink} sets a link
 * up again and again; a {@link io.slipstream.link.LiveLink} is one that is up, with its queue pair, rings, slots
 * and sessions.
 *
 * <p>There is one link for each event loop and broker. Everything of it is confined to that event loop, except
 * memory allocation, which runs on a set-up thread. This module knows nothing of Kafka clients' connections.
 */
package io.slipstream.link;
