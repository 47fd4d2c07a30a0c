// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.control;

import io.netty.channel.Channel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.slipstream.broker.config.PluginKeys;
import io.slipstream.protocol.control.ControlSecret;
import io.slipstream.protocol.tls.TlsDefinition;
import io.slipstream.protocol.tls.TlsEngines;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.config.SslConfigs;

/**
 * TLS of the control channel over TCP: of the plugin's listener, or of this broker's connections to other plugins. A
 * separate thread computes handshakes and checks once a second whether the stores were replaced. Handshakes therefore
 * cannot block an event loop. Thread-safe.
 */
public final class ControlEncryption implements AutoCloseable {
    static final String HANDLER = "tls";
    private static final long RELOAD_SECONDS = 1;

    private final TlsEngines engines;
    /** Whether proxies must show a trusted certificate, so that TLS alone identifies them. */
    public final boolean asksForCertificates;

    private final ScheduledThreadPoolExecutor tasks =
            new ScheduledThreadPoolExecutor(1, new DefaultThreadFactory("slipstream-tls", true));

    /**
     * @param values under Kafka's own names
     * @throws org.apache.kafka.common.config.ConfigException naming the key, if the key store or trust store is
     *     unusable
     */
    public ControlEncryption(Map<String, Object> values) {
        Map<String, Object> ofBothRoles = new HashMap<>(values);
        // A client of other plugins. The listener does not use it.
        ofBothRoles.put(SslConfigs.SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG, "https");
        engines = new TlsEngines(PluginKeys.CONTROL_TLS, ofBothRoles);
        asksForCertificates = "required".equals(values.get(TlsDefinition.CLIENT_AUTH));
        tasks.scheduleWithFixedDelay(engines::reload, RELOAD_SECONDS, RELOAD_SECONDS, TimeUnit.SECONDS);
    }

    SslHandler handler(Channel proxy) {
        InetSocketAddress address = (InetSocketAddress) proxy.remoteAddress();
        SslHandler handler =
                new SslHandler(engines.towardsClient(address.getAddress().getHostAddress(), address.getPort()), tasks);
        // The deadline of Hello already runs and covers the handshake.
        handler.setHandshakeTimeoutMillis(0);
        return handler;
    }

    /** Any thread. The other plugin's certificate must be trusted and name the plugin's host. */
    public SslHandler towardsPlugin(InetSocketAddress plugin) {
        return new SslHandler(engines.towardsServer(plugin.getHostString(), plugin.getPort()), tasks);
    }

    /** Returns the digest of the certificate shown on this connection, see {@link ControlSecret#digest}. */
    static byte[] certificate(Channel proxy) {
        return proxy.pipeline().get(HANDLER) instanceof SslHandler tls
                ? ControlSecret.digest(tls.engine().getSession().getLocalCertificates())
                : ControlSecret.NO_CERTIFICATE;
    }

    /** Called after the last connection was closed. */
    @Override
    public void close() {
        tasks.shutdownNow();
    }
}
