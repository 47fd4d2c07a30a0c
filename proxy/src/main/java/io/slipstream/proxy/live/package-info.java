/**
 * What goes on now, for {@code slipstream top}: counters that each event loop keeps of its clients and partitions, and the page that shows them. Counting is a plain addition by the
 * one thread that owns the counter; whoever looks on may see a number that is some additions old.
 */
package io.slipstream.proxy.live;
