package io.slipstream.proxy.fastpath;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.protocol.ring.LandedBatches;
import io.slipstream.protocol.ring.RingFrame;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Batches that are placed where others place theirs: in the place that was reserved, announced with its order. */
@Timeout(60)
class PlaceInSharedSegmentTest extends PlacingTest {
    private static final long ONE_ORDER = 1L << 48;
    private static final long CLOSED = 1L << 47;
    private static final int FIRST_ORDER = 65533;

    @BeforeEach
    void share() {
        peer.shared = true;
        peer.reserved = FIRST_ORDER * ONE_ORDER + FIRST_POSITION;
    }

    /** By another writer; what the proxy has asked for meanwhile is before or behind it. */
    private void reserveBetween(int lengthBytes) {
        peer.run(() -> {
            long value = peer.link().word.buffer().getLong(0);
            peer.link().word.buffer().putLong(0, value + ONE_ORDER + lengthBytes);
        });
    }

    private long word() {
        return peer.on(() -> peer.link().word.buffer().getLong(0));
    }

    private static int order(PeerLink.Landed announced) {
        return LandedBatches.order(little(announced.payload()), 0);
    }

    @Test
    void shouldPlaceEachBatchWhereItsPlaceIs() throws Exception {
        byte[] sent = begin();
        int position = FIRST_POSITION;
        int order = FIRST_ORDER;
        for (int i = 0; i < 20; i++) {
            PeerLink.Landed announced = landed();
            assertThat(order(announced)).isEqualTo(order);
            position = verify(announced, sent, position);
            order = (order + 1) & 0xffff;
            reply(announced, 0, new byte[1]);
            if (i % 3 == 0) {
                int between = 1 + random.nextInt(500);
                reserveBetween(between);
                position += between;
                order = (order + 1) & 0xffff;
            }
            sent = request(3000);
            client.submit(sent);
        }
        reply(landed(), 0, new byte[1]);
    }

    /** Their answers come when it was their turn; nothing may wait for that. */
    @Test
    void shouldPlaceManyBeforeTheFirstIsAnswered() throws Exception {
        ArrayDeque<byte[]> sent = new ArrayDeque<>(List.of(begin()));
        for (int i = 0; i < 4; i++) {
            sent.add(request(500)); // what is not answered must fit into half of the ring
            client.submit(sent.getLast());
        }
        List<PeerLink.Landed> all = new ArrayList<>();
        int position = FIRST_POSITION;
        while (!sent.isEmpty()) {
            all.add(landed());
            position = verify(all.get(all.size() - 1), sent.remove(), position);
        }
        assertThat(all).extracting(PlaceInSharedSegmentTest::order).containsExactly(65533, 65534, 65535, 0, 1);
        for (int i = all.size() - 1; i >= 0; i--) {
            reply(all.get(i), 0, new byte[1]);
        }
    }

    @Test
    void shouldEndItsPartAndTakeTheRingWhenNothingMayBeReserved() throws Exception {
        peer.reserved |= CLOSED;
        byte[] sent = begin();

        PeerLink.Landed ended = landed();
        assertThat(ended.flags()).isEqualTo(RingFrame.FLAG_END_LANDING);
        PeerLink.Landed byRing = landed();
        assertThat(byRing.flags()).isZero();
        assertThat(byRing.payload()).isEqualTo(sent);
        reply(ended, RingFrame.FLAG_NO_RESPONSE, new byte[0]);
        reply(byRing, 0, new byte[1]);
        submitByRing(request(3000));
    }

    @Test
    void shouldSayThatAPlaceBeyondTheWindowStaysEmpty() throws Exception {
        peer.reserved = SEGMENT_BYTES - 40;
        byte[] sent = begin();

        List<PeerLink.Landed> frames = List.of(landed(), landed());
        assertThat(frames)
                .extracting(PeerLink.Landed::flags)
                .containsExactlyInAnyOrder(0, RingFrame.FLAG_END_LANDING | RingFrame.FLAG_HOLES);
        for (PeerLink.Landed frame : frames) {
            if (frame.flags() == 0) {
                assertThat(frame.payload()).isEqualTo(sent);
                reply(frame, 0, new byte[1]);
            } else {
                reply(frame, RingFrame.FLAG_NO_RESPONSE, new byte[0]);
            }
        }
        assertThat(word()).isGreaterThan(peer.reserved);
        submitByRing(request(3000));
    }

    @Test
    void shouldAnnounceWhatItHoldsBeforeItEndsItsPart() throws Exception {
        byte[] first = begin();
        PeerLink.Landed announced = landed();
        int position = verify(announced, first, FIRST_POSITION);
        byte[] second = request(3000);
        client.submit(second);
        int revoked = RingFrame.IMM_SLOT_DOORBELL | RingFrame.IMM_LANDING_REVOKED | PluginPeer.LANDING;
        peer.run(() -> peer.link().raw(0, 0, revoked));

        PeerLink.Landed next = landed();
        if (next.flags() == RingFrame.FLAG_LANDED) {
            verify(next, second, position);
            reply(next, 0, new byte[1]);
            next = landed();
            assertThat(next.flags()).isEqualTo(RingFrame.FLAG_END_LANDING);
            reply(next, RingFrame.FLAG_NO_RESPONSE, new byte[0]);
        } else {
            assertThat(next.flags()).isEqualTo(RingFrame.FLAG_END_LANDING);
            reply(next, RingFrame.FLAG_NO_RESPONSE, new byte[0]);
            PeerLink.Landed byRing = landed();
            assertThat(byRing.payload()).isEqualTo(second);
            reply(byRing, 0, new byte[1]);
        }
        reply(announced, 0, new byte[1]);
    }
}
