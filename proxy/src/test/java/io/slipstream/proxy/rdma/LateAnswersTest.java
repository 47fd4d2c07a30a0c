// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

import static io.slipstream.proxy.fetch.FetchFrames.fetch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.proxy.fetch.FetchFrames;
import io.slipstream.proxy.ring.ProduceFrames;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Answers that find their client gone, and cursors that no request names any more. */
@Timeout(60)
class LateAnswersTest {
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final int PARTITIONS_PER_FETCH = 2;

    private FastPathFixture fixture;
    private PluginPeer peer;
    private TestClient client;

    @BeforeEach
    void start() throws IOException {
        fixture = new FastPathFixture(PARTITIONS_PER_FETCH);
        peer = fixture.peer();
        client = fixture.client(peer);
        for (int i = 0; i < 4 * PARTITIONS_PER_FETCH; i++) {
            PeerLog log = logOf(i);
            int epoch = i;
            peer.run(() -> {
                log.batchEpoch = epoch;
                log.append("v");
                log.commit();
            });
        }
        assertThat(fetchTwo(0).await().kind()).isEqualTo("respond");
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
        fixture.close();
        peer.close();
    }

    private PeerLog logOf(int partition) {
        return peer.on(() -> peer.log(FetchFrames.TOPIC, partition));
    }

    private TestClient.Request fetchTwo(int first) {
        return client.submit(fetch().partition(first, 0, 1 << 20)
                .partition(first + 1, 0, 1 << 20)
                .bytes());
    }

    @Test
    void shouldKnowTheEpochOfEachPartitionsLastRecord() {
        long before = count(ControlRequest.Locate.class);
        for (int round = 0; round < 2; round++) {
            TestClient.Request next = client.submit(fetch().with(data -> data.setMaxWaitMs(0))
                    .partition(0, 1, 1 << 20, asked -> asked.setLastFetchedEpoch(0))
                    .partition(1, 1, 1 << 20, asked -> asked.setLastFetchedEpoch(1))
                    .bytes());
            assertThat(next.await().kind()).isEqualTo("respond");
        }
        assertThat(count(ControlRequest.Locate.class)).isEqualTo(before);
    }

    private long count(Class<? extends ControlRequest> kind) {
        return peer.on(() -> peer.requests.stream().filter(kind::isInstance).count());
    }

    /** Another client submits a request, and leaves that many turns of the event loop later. */
    private void submitAndLeave(int turns) {
        TestClient leaving = fixture.client(peer);
        TestClient.Request request = leaving.on(
                () -> leaving.submitNow(fetch().partition(0, 0, 1 << 20).bytes()));
        for (int i = 0; i < turns; i++) {
            leaving.on(() -> null);
        }
        request.cancelled = true;
        leaving.close();
        if (!request.answer.isDone()) {
            request.frame().release();
        }
    }

    private void awaitAnotherClientsAnswer() {
        TestClient other = fixture.client(peer);
        assertThat(other.submit(fetch().partition(0, 0, 1 << 20).bytes())
                        .await()
                        .kind())
                .isEqualTo("respond");
        other.close();
    }

    @Test
    void shouldNotUseANonceThatComesAfterItsClientHasLeft() {
        TestClient leaving = fixture.client(peer);
        TestClient.Request request = leaving.on(() -> {
            TestClient.Request submitted = leaving.submitNow(ProduceFrames.produce(1, 10));
            submitted.cancelled = true;
            leaving.fastPath.close();
            return submitted;
        });
        awaitAnotherClientsAnswer(); // answers of the plugin come in order
        assertThat(leaving.on(() -> Set.copyOf(leaving.nonces))).isEmpty();
        request.frame().release();
    }

    @Test
    void shouldCloseTheSessionOfAClientThatLeavesWhileItIsBound() {
        for (int turns = 0; turns < 100; turns++) {
            submitAndLeave(turns);
        }
        await().atMost(SOON)
                .until(() -> peer.on(() -> {
                    Set<Integer> open = new TreeSet<>(peer.link().sessions);
                    open.removeAll(peer.closedSessions);
                    return open.size() == 1;
                }));
    }

    @Test
    void shouldReleaseTheSegmentsOfPartitionsThatAreFetchedNoMore() {
        for (int first = PARTITIONS_PER_FETCH; first < 4 * PARTITIONS_PER_FETCH; first += PARTITIONS_PER_FETCH) {
            assertThat(fetchTwo(first).await().kind()).isEqualTo("respond");
        }
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(count(ControlRequest.ReleaseSegment.class))
                        .as("each slot that is given up, with its segment")
                        .isEqualTo(count(ControlRequest.ReleaseSlot.class))
                        .isPositive());
    }
}
