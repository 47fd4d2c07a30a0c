/** Names of hosts, turned into addresses without an event loop waiting for it. */
package io.slipstream.proxy.naming;
