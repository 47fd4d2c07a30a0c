// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RawTopics;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.harness.secured.Certificates;
import io.slipstream.harness.secured.StoreFormat;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.PathCounts;
import io.slipstream.process.Ports;
import io.slipstream.process.ProxyProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The control channel over mutual TLS between the packaged proxy and a broker with the packaged agent. */
@Timeout(180)
class ControlTlsIT {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final String SECRET = "correct horse battery staple";

    @TempDir
    private Path temporary;

    @ParameterizedTest
    @MethodSource("io.slipstream.it.Thorough#lines")
    void shouldUseRdmaWithACertificateAndTcpWithoutOne(BrokerLine line) throws Exception {
        Certificates certificates =
                Certificates.in(temporary.resolve("c")).issue("broker").issue("proxy");
        int port = Ports.free();
        BrokerProcess.Builder settings = BrokerProcess.builder(line)
                .withAgent()
                .property("slipstream.control.address", "127.0.0.1:" + port)
                .property("slipstream.control.ssl.client.auth", "required")
                .property("slipstream.control.secret", SECRET);
        certificates
                .identity("broker", StoreFormat.PKCS12)
                .forEach((key, value) -> settings.property("slipstream.control." + key, value));
        certificates
                .trust(StoreFormat.PEM)
                .forEach((key, value) -> settings.property("slipstream.control." + key, value));
        try (BrokerProcess broker = settings.start();
                RawTopics topics = new RawTopics(broker.bootstrapServers())) {
            TopicRef topic = topics.create("t", 1);
            try (ProxyProcess proxy =
                    proxy(broker, port, certificates, certificates.identity("proxy", StoreFormat.JKS))) {
                try (RawClient client = RawClient.connect(address(proxy))) {
                    await().atMost(SOON).until(() -> {
                        RawRecords.produce(client, topic, "value");
                        return PathCounts.in(proxy.metrics()).rdmaProduced() > 0;
                    });
                }
            }
            try (ProxyProcess proxy = proxy(broker, port, certificates, Map.of());
                    RawClient client = RawClient.connect(address(proxy))) {
                RawRecords.produce(client, topic, "value");
                await().atMost(SOON).until(() -> Files.readString(proxy.log()).contains("is of no use"));
                RawRecords.produce(client, topic, "value");
                assertThat(PathCounts.in(proxy.metrics())).isEqualTo(new PathCounts(0, 0, 2, 0));
                await().atMost(SOON).until(() -> Files.readString(broker.log()).contains("TLS failed"));
            }
        }
    }

    /** The proxy has another directory, so that it finds no socket. */
    private ProxyProcess proxy(
            BrokerProcess broker, int port, Certificates certificates, Map<String, String> identity) {
        ProxyProcess.Builder settings = ProxyProcess.builder(broker.bootstrapServers())
                .property(
                        ProxyProcess.SLIPSTREAM_DIRECTORY,
                        temporary.resolve("elsewhere").toString())
                .property(ProxyProcess.CONTROL_PORTS, broker.nodeId() + ":" + port)
                .property("rdma.control.secret", SECRET)
                .property("rdma.control.security.protocol", "SSL");
        certificates.trust(StoreFormat.JKS).forEach((key, value) -> settings.property("rdma.control." + key, value));
        identity.forEach((key, value) -> settings.property("rdma.control." + key, value));
        return settings.start();
    }

    private static String address(ProxyProcess proxy) throws Exception {
        MetadataResponseBroker broker = RawTopics.onlyBroker(proxy.bootstrapServers());
        return broker.host() + ":" + broker.port();
    }
}
