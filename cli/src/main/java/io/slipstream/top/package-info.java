// SPDX-License-Identifier: Apache-2.0
/**
 * {@code slipstream top}: polls the {@link io.slipstream.proxy.live.LivePage} of a proxy and shows the difference
 * between two pages. It depends on the proxy only for this record. With {@code --brokers} it polls the metrics of
 * brokers' plugins.
 */
package io.slipstream.top;
