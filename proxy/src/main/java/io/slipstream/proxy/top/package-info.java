/** {@code slipstream top}: asks a proxy for its {@link io.slipstream.proxy.live.LivePage} again and again, and shows what happened in between. */
package io.slipstream.proxy.top;
