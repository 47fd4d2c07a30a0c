/**
 * {@code slipstream top}: asks a proxy for its {@link io.slipstream.proxy.live.LivePage} again and again, and shows
 * what happened in between. It depends on the proxy for this record only.
 */
package io.slipstream.top;
