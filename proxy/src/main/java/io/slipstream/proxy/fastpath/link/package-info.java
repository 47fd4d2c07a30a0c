/**
 * The proxy's end of the connection to one broker's plugin: control channel, queue pair, rings, slots. One
 * {@link io.slipstream.proxy.fastpath.link.BrokerLink} for each event loop and broker, confined to that event loop.
 */
package io.slipstream.proxy.fastpath.link;
