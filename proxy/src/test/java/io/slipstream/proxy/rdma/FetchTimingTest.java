// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

import static io.slipstream.proxy.fetch.FetchFrames.fetch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.link.meter.Meter;
import io.slipstream.protocol.slot.SlotLayout;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Changes while the data of a Fetch is read, and waits of several requests one after the other. */
@Timeout(60)
class FetchTimingTest {
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final int MB = 1 << 20;
    private static final int VALUE_BYTES = 20_000;

    private FastPathFixture fixture;
    private PluginPeer peer;
    private TestClient client;
    private PeerLog log;

    @BeforeEach
    void start() throws IOException {
        fixture = new FastPathFixture(FastPathFixture.REGISTERED_MEMORY);
        peer = fixture.peer();
        client = fixture.client(peer);
        log = peer.on(() -> peer.log("cars", 0));
        append("v".repeat(VALUE_BYTES));
        assertThat(fetchFrom(0, 0).await().kind()).isEqualTo("respond");
    }

    @AfterEach
    void stop() throws IOException {
        SlowReads.withheldAboveBytes = Integer.MAX_VALUE;
        client.close();
        fixture.close(); // fails if memory for reading is still in use
        peer.close();
    }

    private void append(String value) {
        peer.run(() -> {
            log.append(value);
            log.commit();
            peer.publish(log);
        });
    }

    private TestClient.Request fetchFrom(long offset, int maxWaitMs) {
        return client.submit(fetch().with(data -> data.setMaxWaitMs(maxWaitMs))
                .partition(0, offset, MB)
                .bytes());
    }

    /** A Fetch whose READ of data is posted and does not complete. */
    private TestClient.Request fetchThatIsBeingRead() {
        SlowReads.withheldAboveBytes = VALUE_BYTES / 2;
        TestClient.Request reading = fetchFrom(0, 0);
        await().atMost(SOON)
                .until(() ->
                        reading.answer.isDone() || fixture.meters.value(Meter.READ_MEMORY_IN_USE_BYTES) > VALUE_BYTES);
        return reading;
    }

    @Test
    void shouldNotServeDataThatWasReadWhileTheLeaseEnded() {
        TestClient.Request reading = fetchThatIsBeingRead();
        peer.run(() -> peer.link().beating = false);
        await("the lease is over").atMost(SOON).until(() -> fixture.meters.value(Meter.GRANTS_EXPIRED) > 0);
        assertThat(reading.answer).isNotDone();

        SlowReads.withheldAboveBytes = Integer.MAX_VALUE;
        assertThat(reading.await().kind()).isEqualTo("fallBack:STALE_SLOTS");
    }

    @Test
    void shouldKeepNoDataWhileItWaitsForAWriterThatWasInterruptedInASlot() {
        // The pauses for a writer have an end, which a busy machine may reach; then it is tried again.
        await().atMost(Duration.ofSeconds(40)).until(this::readAcrossAnInterruptedWrite, "respond"::equals);
    }

    private String readAcrossAnInterruptedWrite() {
        long retries = fixture.meters.value(Meter.SLOT_RETRIES);
        TestClient.Request reading = fetchThatIsBeingRead();
        int word = SlotLayout.slotOffset(log.slot) + SlotLayout.SEQUENCE_BEGIN_OFFSET;
        peer.run(() -> {
            var table = peer.link().slotTable.buffer();
            table.putInt(word, table.getInt(word) | 1);
        });
        SlowReads.withheldAboveBytes = Integer.MAX_VALUE;
        await().pollInterval(Duration.ofMillis(1))
                .atMost(SOON)
                .until(() -> reading.answer.isDone() || fixture.meters.value(Meter.SLOT_RETRIES) > retries + 17);
        peer.run(() -> peer.publish(log));
        return reading.await().kind();
    }

    @Test
    void shouldEndALongWaitAfterAShorterOneThatEndedEarly() {
        TestClient.Request early = fetchFrom(1, 400);
        await().atMost(SOON).until(() -> fixture.meters.value(Meter.FETCH_WAITS) == 1);
        append("w");
        assertThat(early.await().kind()).isEqualTo("respond");

        // The timer of the first wait is still set.
        long beganNs = System.nanoTime();
        assertThat(fetchFrom(2, 800).await().kind()).isEqualTo("respond");
        assertThat(Duration.ofNanos(System.nanoTime() - beganNs))
                .as("not at a later timer either")
                .isBetween(Duration.ofMillis(700), Duration.ofSeconds(7));
    }
}
