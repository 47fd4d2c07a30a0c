// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

import static io.slipstream.proxy.fetch.FetchAnswers.only;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.link.meter.Meter;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.proxy.fetch.FetchAnswers;
import io.slipstream.proxy.fetch.FetchFrames;
import java.io.IOException;
import java.time.Duration;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** A client connection that fetches, a plugin's end on real shared memory, and a log of one partition. */
@Timeout(60)
abstract class FetchScene {
    static final Duration SOON = Duration.ofSeconds(10);
    static final int MB = 1 << 20;

    FastPathFixture fixture;
    PluginPeer peer;
    TestClient client;
    PeerLog log;

    /** The provider; the tests must pass with each. */
    String provider() {
        return FastPathFixture.ANY_MEMORY;
    }

    @BeforeEach
    void start() throws IOException {
        fixture = new FastPathFixture(provider());
        peer = fixture.peer();
        client = fixture.client(peer);
        log = peer.on(() -> peer.log("cars", 0));
    }

    @AfterEach
    void stop() throws IOException {
        peer.run(() -> peer.links.values().forEach(PeerLink::check));
        client.close();
        await().atMost(SOON).until(() -> fixture.meters.value(Meter.GRANTS) == 0);
        assertThat(fixture.meters.value(Meter.FETCH_WAITS)).isZero();
        assertThat(fixture.meters.value(Meter.PREFETCHED_BYTES)).isZero();
        fixture.close();
        peer.close();
    }

    byte[] append(String... values) {
        return append(log, values);
    }

    /** Appends one batch, commits and publishes it. */
    byte[] append(PeerLog to, String... values) {
        return peer.on(() -> {
            byte[] batch = to.append(values);
            to.commit();
            peer.publish(to);
            return batch;
        });
    }

    static FetchResponseData parse(TestClient.Answer answer, int version) {
        assertThat(answer.kind()).isEqualTo("respond");
        return FetchAnswers.parse(answer.response(), (short) version);
    }

    PartitionData fetched(FetchFrames frames) {
        return only(parse(client.submit(frames.bytes()).await(), 17));
    }

    int locates() {
        return peer.on(() -> (int) peer.requests.stream()
                .filter(ControlRequest.Locate.class::isInstance)
                .count());
    }
}
