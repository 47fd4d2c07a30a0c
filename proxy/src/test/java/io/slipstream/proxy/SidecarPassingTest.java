// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.slipstream.link.meter.Meter;
import io.slipstream.proxy.buffer.OutboundBudget;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Large answers to Fetch requests over TCP, which are passed on while they arrive. */
@Timeout(60)
class SidecarPassingTest extends SidecarFixture {
    private static final Duration SOON = Duration.ofSeconds(30);
    /** What a client connection may hold while an answer is passed on, and what the channel counts for its buffers. */
    private static final int MOST_HELD_BYTES = 2 * OutboundBudget.SMALL_BYTES + 4096;

    private static final int LARGE_BYTES = 50 << 20;
    private static final LargeAnswer LARGE = new LargeAnswer(LARGE_BYTES, 100_000);
    private static final LargeAnswer SMALL_BATCHES = new LargeAnswer(3 << 20, 200);

    private long held() {
        return sidecar.meters().value(Meter.OUTBOUND_BYTES, "unsent")
                + sidecar.meters().value(Meter.OUTBOUND_BYTES, "received");
    }

    private long disconnects(String cause) {
        return sidecar.meters().value(Meter.DISCONNECTS, cause);
    }

    private WireClient fetching() throws IOException {
        WireClient client = client();
        client.send(LargeAnswer.request());
        return client;
    }

    private void awaitNothingHeld() {
        await().atMost(SOON).until(() -> held() == 0);
    }

    @Test
    void shouldPassOnWhatArrivedBeforeTheRestArrives() throws Exception {
        CountDownLatch firstPartSeen = new CountDownLatch(1);
        broker.onFetch((out, id) -> {
            out.write(LARGE.wire, 0, 1 << 20);
            out.flush();
            try {
                assertThat(firstPartSeen.await(30, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            out.write(LARGE.wire, 1 << 20, LARGE.wire.length - (1 << 20));
        });
        try (WireClient client = fetching()) {
            byte[] answer = new byte[client.receiveSize()];
            int first = (1 << 20) - 1000;
            client.receive(answer, 0, first);
            firstPartSeen.countDown();
            client.receive(answer, first, answer.length - first);
            assertThat(LARGE.isPassedOn(ByteBuffer.wrap(answer))).isTrue();
        }
        awaitNothingHeld();
    }

    @Test
    void shouldCountRecordsAndBytesOfPartsExactly() throws Exception {
        for (LargeAnswer answer : new LargeAnswer[] {LARGE, SMALL_BATCHES}) {
            long records = sidecar.meters().value(Meter.RECORDS, "FETCH", "tcp");
            long bytes = sidecar.meters().value(Meter.BYTES, "FETCH", "tcp", "response");
            broker.onFetch(answer::answer);
            try (WireClient client = fetching()) {
                assertThat(answer.isPassedOn(client.receive())).isTrue();
                client.send(WireClient.request(ECHO, 0, 2));
                assertThat(client.receive().getInt()).isEqualTo(2);
            }
            assertThat(sidecar.meters().value(Meter.RECORDS, "FETCH", "tcp") - records)
                    .isEqualTo(answer.records);
            assertThat(sidecar.meters().value(Meter.BYTES, "FETCH", "tcp", "response") - bytes)
                    .isEqualTo(answer.wire.length - Integer.BYTES);
        }
    }

    @Test
    void shouldCollectAnAnswerOfOneMebibyte() throws Exception {
        LargeAnswer answer = new LargeAnswer(1 << 20, 100_000);
        broker.onFetch(answer::answer);
        try (WireClient client = fetching()) {
            assertThat(answer.isPassedOn(client.receive())).isFalse();
        }
        awaitNothingHeld();
    }

    @Test
    void shouldHoldLittleOfAnAnswerThatItsClientDoesNotRead() throws Exception {
        broker.onFetch(LARGE::answer);
        try (WireClient client = fetching()) {
            byte[] answer = new byte[client.receiveSize()];
            long mostHeld = 0;
            for (int at = 0, size = 0; at < answer.length; at += size) {
                size = Math.min(answer.length - at, 1 << 16);
                client.receive(answer, at, size);
                mostHeld = Math.max(mostHeld, held());
            }
            assertThat(LARGE.isPassedOn(ByteBuffer.wrap(answer))).isTrue();
            assertThat(mostHeld).isBetween(1L, (long) MOST_HELD_BYTES);
        }
        awaitNothingHeld();
    }

    @Test
    void shouldWaitForTheBudgetBeforeItPassesOn() throws Exception {
        int limitBytes = 20 << 20;
        sidecar.close();
        sidecar = start(Map.of("max.outbound.bytes", Integer.toString(limitBytes)));
        broker.onFetch(LARGE::answer);
        byte[] full = WireClient.request(ECHO, 0, 1, new byte[limitBytes + 1]);
        try (WireClient slow = client()) {
            slow.send(full);
            await().atMost(SOON).until(() -> held() >= limitBytes);
            try (WireClient client = fetching()) {
                await().atMost(SOON).until(() -> sidecar.meters().value(Meter.OUTBOUND_WAITS) == 1);
                assertThat(slow.receive().remaining()).isGreaterThan(limitBytes);
                assertThat(LARGE.isPassedOn(client.receive())).isTrue();
            }
        }
        awaitNothingHeld();
    }

    @Test
    void shouldCloseAClientThatTakesNothing() throws Exception {
        sidecar.close();
        sidecar = start(Map.of("client.stall.timeout.ms", "1000"));
        broker.onFetch(LARGE::answer);
        WireClient client = fetching();
        await().atMost(SOON).until(() -> disconnects("stalled") == 1);
        awaitNothingHeld();
        client.close();
    }

    /** The client gets the beginning of an answer, and then the end of its connection. */
    private void assertEndsWithin(String cause) throws Exception {
        try (WireClient client = fetching()) {
            byte[] answer = new byte[client.receiveSize()];
            assertThatThrownBy(() -> client.receive(answer, 0, answer.length)).isInstanceOf(EOFException.class);
        }
        await().atMost(SOON).until(() -> disconnects(cause) == 1);
        awaitNothingHeld();
    }

    @Test
    void shouldEndWithABrokerThatEndsWithinAnAnswer() throws Exception {
        broker.onFetch((out, id) -> {
            out.write(LARGE.wire, 0, LARGE.wire.length / 2);
            out.close();
        });
        assertEndsWithin("upstream_closed");
    }

    @Test
    void shouldCloseTheClientOfAnAnswerThatIsMalformedAtItsEnd() throws Exception {
        byte[] malformed = LARGE.wire.clone();
        int endpointsSize = malformed.length - LargeAnswer.ENDPOINTS_BYTES - 1;
        assertThat(malformed[endpointsSize]).isEqualTo((byte) LargeAnswer.ENDPOINTS_BYTES);
        malformed[endpointsSize]++;
        broker.onFetch((out, id) -> out.write(malformed));
        assertEndsWithin("upstream_protocol");
    }

    @Test
    void shouldLeaveTheLimitOnResponsesInForce() throws Exception {
        sidecar.close();
        sidecar = start(Map.of("max.response.bytes", Integer.toString(LARGE_BYTES / 2)));
        broker.onFetch(LARGE::answer);
        try (WireClient client = fetching()) {
            assertThat(client.isClosedByPeer()).isTrue();
        }
        await().atMost(SOON).until(() -> disconnects("upstream_protocol") == 1);
    }
}
