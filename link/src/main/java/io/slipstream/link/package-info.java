// SPDX-License-Identifier: Apache-2.0
/**
 * The initiating end of the connection to one broker's plugin. A {@link io.slipstream.link.BrokerLink} sets a link up,
 * repeatedly if necessary; a {@link io.slipstream.link.LiveLink} is one that is up, with its queue pair, rings, slots
 * and sessions.
 *
 * <p>There is one link per event loop and broker. All of it is confined to that event loop, except memory allocation,
 * which runs on a set-up thread. This module does not depend on the connections of Kafka clients.
 */
package io.slipstream.link;
