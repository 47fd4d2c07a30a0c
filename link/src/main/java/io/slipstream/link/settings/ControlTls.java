// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.settings;

import io.netty.handler.ssl.SslHandler;
import java.net.InetSocketAddress;

/** Makes the TLS handlers of control connections over TCP, one for each; on any event loop. */
@FunctionalInterface
public interface ControlTls {
    SslHandler towardsPlugin(InetSocketAddress plugin);
}
