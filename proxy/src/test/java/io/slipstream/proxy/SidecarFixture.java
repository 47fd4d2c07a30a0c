// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy;

import io.slipstream.link.net.NameLookups;
import io.slipstream.proxy.config.ProxyConfig;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The whole proxy, over sockets, in front of a scripted broker. */
abstract class SidecarFixture {
    static final int ECHO = 16;

    ScriptedBroker broker;
    Sidecar sidecar;

    @BeforeEach
    void start() throws Exception {
        broker = new ScriptedBroker();
        sidecar = start(Map.of());
    }

    Sidecar start(Map<String, String> settings) throws InterruptedException {
        return start(settings, new NameLookups());
    }

    Sidecar start(Map<String, String> settings, NameLookups names) throws InterruptedException {
        Map<String, String> all = new TreeMap<>(Map.of(
                "bootstrap.servers", "127.0.0.1:" + broker.port(),
                "listen.port", "0",
                "management.port", "0",
                "rdma.provider", "tcp",
                "event.loops", "2",
                "metadata.refresh.ms", "200",
                "drain.timeout.ms", "2000"));
        all.putAll(settings);
        Sidecar started = Sidecar.start(ProxyConfig.of(all), names);
        if (!settings.containsKey("bootstrap.servers")) {
            Awaitility.await().until(() -> started.notReadyReason() == null);
        }
        return started;
    }

    @AfterEach
    void stop() throws IOException {
        sidecar.close();
        broker.close();
    }

    WireClient client() throws IOException {
        return new WireClient(sidecar.bootstrapAddress());
    }

    HttpResponse<String> get(String page, String method) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + sidecar.managementAddress().getPort() + page);
        HttpRequest request = HttpRequest.newBuilder(uri)
                .method(method, HttpRequest.BodyPublishers.noBody())
                .timeout(Duration.ofSeconds(10))
                .build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }
}
