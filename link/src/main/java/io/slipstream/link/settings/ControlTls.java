// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.settings;

import io.netty.handler.ssl.SslHandler;
import java.net.InetSocketAddress;

/** Creates the TLS handler of a control connection over TCP; callable on any event loop. */
@FunctionalInterface
public interface ControlTls {
    SslHandler towardsPlugin(InetSocketAddress plugin);
}
