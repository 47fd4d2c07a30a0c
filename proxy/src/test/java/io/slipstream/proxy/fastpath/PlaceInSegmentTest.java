package io.slipstream.proxy.fastpath;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.metrics.Meter;
import io.slipstream.protocol.control.ControlApi;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.ring.RingFrame;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Batches that are placed in a segment: which bytes land where, and that request and batches are the client's frame when put together. */
@Timeout(60)
class PlaceInSegmentTest extends PlacingTest {
    @Test
    void shouldPlaceBatchesOneBehindTheOtherThroughManyLapsOfTheRing() throws Exception {
        ArrayDeque<byte[]> sent = new ArrayDeque<>(List.of(begin()));
        int position = FIRST_POSITION;
        for (int i = 0; i < 300; i++) {
            while (sent.size() < 1 + random.nextInt(4)) {
                byte[] next = request(3000);
                client.submit(next);
                sent.add(next);
            }
            PeerLink.Landed announced = landed();
            position = verify(announced, sent.remove(), position);
            reply(announced, 0, new byte[1]);
        }
        // A few may be placed that nobody has looked at.
        assertThat(fixture.meters.value(Meter.PRODUCE_BYTES, "in_place"))
                .isBetween((long) position - FIRST_POSITION, position - FIRST_POSITION + 5L * 4096);
        assertThat(fixture.meters.latency(Meter.TRANSPORT_LATENCY, "write").count())
                .as("one in 16 of at least 300")
                .isGreaterThanOrEqualTo(300 / 16);
        assertThat(fixture.meters.value(Meter.LANDINGS)).isEqualTo(1);
        byte[] segment = Files.readAllBytes(peer.placedFile);
        assertThat(Arrays.copyOf(segment, FIRST_POSITION))
                .as("before the position that was given")
                .containsOnly(0);
    }

    @Test
    void shouldGiveTheLandingBackWhenAskedAndTakeTheRing() throws Exception {
        byte[] first = begin();
        PeerLink.Landed announced = landed();
        int end = verify(announced, first, FIRST_POSITION);
        reply(announced, 0, new byte[1]);
        int revoked = RingFrame.IMM_SLOT_DOORBELL | RingFrame.IMM_LANDING_REVOKED | PluginPeer.LANDING;
        peer.run(() -> peer.link().raw(0, 0, revoked));

        PeerLink.Landed ended = landed();
        assertThat(ended.flags()).isEqualTo(RingFrame.FLAG_END_LANDING);
        assertThat(little(ended.payload()).getInt(0)).isEqualTo(PluginPeer.LANDING);
        reply(ended, RingFrame.FLAG_NO_RESPONSE, new byte[0]);
        submitByRing(request(3000));
        assertThat(fixture.meters.value(Meter.GRANTS_GRANTED, "landing")).isEqualTo(1);
        assertThat(fixture.meters.value(Meter.GRANTS_REVOKED, "landing")).isEqualTo(1);
        byte[] segment = Files.readAllBytes(peer.placedFile);
        assertThat(Arrays.copyOfRange(segment, end, segment.length))
                .as("behind the last batch")
                .containsOnly(0);
    }

    @Test
    void shouldEndTheLandingBeforeABatchThatDoesNotFit() throws Exception {
        peer.placedBytes = 2 * PluginPeer.PAGE;
        List<byte[]> sent = new ArrayList<>(List.of(begin()));
        int position = FIRST_POSITION;
        PeerLink.Landed frame = landed();
        while (frame.flags() == RingFrame.FLAG_LANDED) {
            position = verify(frame, sent.get(sent.size() - 1), position);
            reply(frame, 0, new byte[1]);
            sent.add(request(3000));
            client.submit(sent.get(sent.size() - 1));
            frame = landed();
        }
        assertThat(frame.flags()).isEqualTo(RingFrame.FLAG_END_LANDING);
        PeerLink.Landed byRing = landed();
        assertThat(byRing.sequence()).isEqualTo(frame.sequence() + 1);
        assertThat(byRing.payload()).isEqualTo(sent.get(sent.size() - 1));
        reply(frame, RingFrame.FLAG_NO_RESPONSE, new byte[0]);
        reply(byRing, 0, new byte[1]);
    }

    @Test
    void shouldTakeTheRingWhereNothingIsPlaced() throws Exception {
        peer.refusals.put(ControlApi.PREPARE_LANDING, ControlError.LANDING_OFF);
        for (int i = 0; i < 3 * BEFORE; i++) {
            submitByRing(request(1000));
        }
        // It goes beside the requests, on the control connection.
        await().atMost(Duration.ofSeconds(10))
                .untilAsserted(() -> assertThat(peer.on(() -> peer.requests.stream()
                                .filter(each -> ControlApi.of(each) == ControlApi.PREPARE_LANDING)
                                .count()))
                        .isEqualTo(1));
        await().atMost(Duration.ofSeconds(10))
                .until(() -> fixture.meters.value(Meter.GRANTS_REFUSED, "landing", "landing_off") == 1);
    }
}
