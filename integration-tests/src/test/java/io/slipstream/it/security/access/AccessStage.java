// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.security.access;

import io.slipstream.harness.raw.PlainLogin;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.secured.SecureBroker;
import io.slipstream.harness.secured.SecureListener;
import io.slipstream.harness.secured.StoreFormat;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.MetricSamples;
import io.slipstream.process.ProxyProcess;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;

/**
 * The three paths to one listener of the broker: directly, through a proxy with RDMA off, and through the same proxy
 * with RDMA on. The proxy's clients use no TLS, whatever it uses to the broker; a {@link TlsTunnel} does the same for
 * the direct path. With client certificates, a stage belongs to one user.
 */
final class AccessStage implements AutoCloseable {
    private final String name;
    private final SecureListener listener;
    private final BrokerProcess broker;
    private final Resources resources;
    private final ProxyProcess proxy;
    private final TlsTunnel tunnel;
    private final String direct;

    /** @param user user whose certificate proxy and tunnel present if the listener requires one */
    AccessStage(SecureBroker broker, SecureListener listener, String user) throws Exception {
        this.listener = listener;
        this.broker = broker.process();
        name = (listener == null ? "plain" : listener.name().toLowerCase(Locale.ROOT)) + (isMutual() ? "-" + user : "");
        resources = Resources.create(broker, name);
        String address = listener == null ? broker.process().bootstrapServers() : broker.bootstrapServers(listener);
        ProxyProcess.Builder settings = ProxyProcess.builder(address)
                .property(
                        ProxyProcess.SLIPSTREAM_DIRECTORY,
                        broker.process().slipstreamDirectory().toString());
        if (listener != null) {
            settings.property("security.protocol", listener.securityProtocol());
            keys(broker, user).forEach(settings::property);
        }
        proxy = settings.start();
        tunnel = listener != null && listener.encrypts() ? TlsTunnel.to(address, keys(broker, user)) : null;
        direct = tunnel == null ? address : tunnel.address();
    }

    private boolean isMutual() {
        return listener == SecureListener.MUTUAL;
    }

    private Map<String, String> keys(SecureBroker broker, String user) {
        Map<String, String> keys = new java.util.HashMap<>();
        if (listener.encrypts()) {
            keys.putAll(broker.certificates().trust(StoreFormat.PKCS12));
        }
        if (isMutual()) {
            keys.putAll(broker.certificates().identity(user, StoreFormat.PKCS12));
        }
        return keys;
    }

    /** Returns an authenticated connection of the user, by RDMA if the path requires it. */
    AccessClient connect(AccessPath path, String user) throws IOException {
        return new AccessClient(this, path, user, open(path, user));
    }

    RawClient open(AccessPath path, String user) throws IOException {
        RawClient client = RawClient.connect(path == AccessPath.DIRECT ? direct : proxy.bootstrapServers());
        try {
            if (listener != null && listener.requiresSasl()) {
                PlainLogin.of(client, user);
            }
            return client;
        } catch (IOException | RuntimeException e) {
            client.close();
            throw e;
        }
    }

    /** Applies to later connections. */
    void switchTo(AccessPath path) {
        proxy.switchRdma(path == AccessPath.PROXY_RDMA);
    }

    long byRdma(String api) {
        return metrics().count("slipstream_requests_total", "api", api, "path", "rdma");
    }

    MetricSamples metrics() {
        return proxy.metrics();
    }

    /** Returns the fallback reasons and the proxy's log. */
    String diagnosis() {
        StringBuilder text = new StringBuilder();
        proxy.metrics().all().stream()
                .filter(sample -> sample.name().equals("slipstream_fallbacks_total") && sample.value() > 0)
                .forEach(sample -> text.append(' ').append(sample));
        return text.append(proxy.logTail()).toString();
    }

    BrokerProcess broker() {
        return broker;
    }

    String name() {
        return name;
    }

    Resources resources() {
        return resources;
    }

    @Override
    public void close() {
        if (tunnel != null) {
            tunnel.close();
        }
        proxy.close();
    }
}
