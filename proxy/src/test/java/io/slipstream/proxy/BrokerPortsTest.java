// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.link.meter.Meter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBrokerCollection;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients are told only of brokers whose ports the proxy itself holds. */
@Timeout(60)
class BrokerPortsTest extends SidecarFixture {
    private void startWithBase(int base) throws Exception {
        sidecar.close();
        sidecar = start(
                Map.of("bootstrap.servers", "127.0.0.1:" + broker.port(), "broker.port.base", Integer.toString(base)));
    }

    @Test
    void shouldNotNameABrokerWhosePortAnotherProcessHas() throws Exception {
        int taken;
        try (ServerSocket other = besideAFreePort()) {
            taken = other.getLocalPort();
            broker.nameItself(List.of(1, 2));
            startWithBase(taken - 2);
            Awaitility.await().until(() -> sidecar.meters().value(Meter.BROKERS) == 2);

            assertThat(named()).as("node ids").containsExactly(1);
            assertThat(sidecar.notReadyReason())
                    .contains("broker 2", "127.0.0.1:" + taken, "in use", "'broker.port.base'");
            assertThat(sidecar.meters().value(Meter.BROKERS_UNSERVED)).isOne();
        }
        Awaitility.await().until(() -> sidecar.notReadyReason() == null);
        MetadataResponseBroker two =
                SidecarTest.brokers(sidecar.bootstrapAddress()).find(2);
        assertThat(two.port()).isEqualTo(taken);
        assertThat(sidecar.meters().value(Meter.BROKERS_UNSERVED)).isZero();
        try (WireClient client = new WireClient(new InetSocketAddress(two.host(), two.port()))) {
            client.send(WireClient.request(ECHO, 0, 1));
            assertThat(client.receive().getInt()).isEqualTo(1);
        }
    }

    @Test
    void shouldNotNameAPortBeyondTheLast() throws Exception {
        broker.nameItself(List.of(60_000));
        startWithBase(9_098);
        Awaitility.await().until(() -> sidecar.meters().value(Meter.BROKERS) == 1);
        assertThat(named()).isEmpty();
        assertThat(sidecar.notReadyReason()).contains("broker 60000", "9098 + 60000", "65535", "'broker.port.base'");
    }

    @Test
    void shouldServeTwoHundredBrokers() throws Exception {
        List<Integer> ids = IntStream.rangeClosed(1, 200).boxed().toList();
        broker.nameItself(ids);
        sidecar.close();
        sidecar = start(Map.of());
        MetadataResponseBrokerCollection named = SidecarTest.brokers(sidecar.bootstrapAddress());
        assertThat(named).extracting(MetadataResponseBroker::nodeId).containsExactlyInAnyOrderElementsOf(ids);
        assertThat(named)
                .extracting(MetadataResponseBroker::port)
                .doesNotHaveDuplicates()
                .doesNotContain(0, broker.port());
        assertThat(sidecar.meters().value(Meter.LISTENERS)).isEqualTo(201);
        for (MetadataResponseBroker one : named) {
            try (WireClient client = new WireClient(new InetSocketAddress(one.host(), one.port()))) {
                client.send(WireClient.request(ECHO, 0, one.nodeId()));
                assertThat(client.receive().getInt()).isEqualTo(one.nodeId());
            }
        }
    }

    /** A listener whose port has a free one before it. */
    private static ServerSocket besideAFreePort() throws IOException {
        while (true) {
            ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
            try {
                new ServerSocket(taken.getLocalPort() - 1, 1, InetAddress.getLoopbackAddress()).close();
                return taken;
            } catch (IOException inUse) {
                taken.close();
            }
        }
    }

    private List<Integer> named() throws IOException {
        return SidecarTest.brokers(sidecar.bootstrapAddress()).stream()
                .map(MetadataResponseBroker::nodeId)
                .toList();
    }
}
