// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

import static io.slipstream.proxy.fetch.FetchAnswers.records;
import static io.slipstream.proxy.fetch.FetchFrames.fetch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.link.meter.Meter;
import io.slipstream.protocol.slot.SlotLayout;
import io.slipstream.proxy.fetch.FetchAnswers;
import io.slipstream.proxy.fetch.FetchFrames;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A grant ends between the READ of the data and the second check of the slots. Each partition of the Fetch is checked,
 * wherever it stands in the request.
 */
@Timeout(60)
class RevokedWhileReadTest {
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final int PARTITIONS = 3;
    /** Longer than the slots of a request, so that only READs of data are delayed. */
    private static final int VALUE = 20_000;

    private FastPathFixture fixture;
    private PluginPeer peer;
    private TestClient client;
    private final List<PeerLog> logs = new ArrayList<>();

    @BeforeEach
    void start() throws IOException {
        fixture = new FastPathFixture(FastPathFixture.REGISTERED_MEMORY);
        peer = fixture.peer();
        client = fixture.client(peer);
        for (int i = 0; i < PARTITIONS; i++) {
            PeerLog log = peer.on(() -> peer.log("cars", logs.size()));
            logs.add(log);
            peer.run(() -> {
                log.append("x".repeat(VALUE));
                log.commit();
                peer.publish(log);
            });
        }
    }

    @AfterEach
    void stop() throws IOException {
        SlowReads.withheldAboveBytes = Integer.MAX_VALUE;
        client.close();
        await().atMost(SOON).until(() -> fixture.meters.value(Meter.GRANTS) == 0);
        fixture.close();
        peer.close();
    }

    private static byte[] ask() {
        FetchFrames request = fetch();
        for (int i = 0; i < PARTITIONS; i++) {
            request.partition(i, 0, 2 * VALUE);
        }
        return request.bytes();
    }

    /** Returns the request whose data is read and whose second check waits. */
    private TestClient.Request askAndRead() {
        assertThat(client.submit(ask()).await().kind()).as("all are located").isEqualTo("respond");
        SlowReads.withheldAboveBytes = VALUE;
        TestClient.Request request = client.submit(ask());
        // Slots are read and checked during the submission of a request.
        client.on(() -> null);
        await().atMost(SOON).until(() -> fixture.meters.value(Meter.TRANSPORT_IN_FLIGHT) > 0);
        return request;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void shouldNotServeAPartitionThatIsRevokedMeanwhile(int revoked) {
        TestClient.Request request = askAndRead();
        peer.run(() -> {
            logs.get(revoked).flags = SlotLayout.FLAG_REVOKED;
            peer.publish(logs.get(revoked));
        });
        SlowReads.withheldAboveBytes = Integer.MAX_VALUE;
        assertThat(request.await().kind()).isEqualTo("fallBack:NOT_READABLE");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void shouldReadAgainWhatIsGrantedAnewMeanwhile(int changed) {
        TestClient.Request request = askAndRead();
        peer.run(() -> {
            logs.get(changed).overwrite(0, (byte) '!');
            logs.get(changed).generation++;
            peer.publish(logs.get(changed));
        });
        SlowReads.withheldAboveBytes = Integer.MAX_VALUE;
        TestClient.Answer answer = request.await();
        assertThat(answer.kind()).isEqualTo("respond");
        var partitions =
                FetchAnswers.parse(answer.response()).responses().get(0).partitions();
        for (int i = 0; i < PARTITIONS; i++) {
            PeerLog log = logs.get(i);
            assertThat(records(partitions.get(i)))
                    .as("partition %d", i)
                    .isEqualTo(peer.on(() -> log.batchAt(0).bytes()));
        }
    }
}
