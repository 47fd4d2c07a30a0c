package io.slipstream.proxy.fastpath;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.protocol.control.ControlApi;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.ring.LandedBatches;
import io.slipstream.protocol.ring.RingFrame;
import io.slipstream.proxy.fastpath.produce.ProduceFrames;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Batches that are placed in a segment: which bytes land where, and that request and batches are the client's frame when put together. */
@Timeout(60)
class PlaceInSegmentTest {
    private static final int FIRST_POSITION = 1234;
    private static final int SEGMENT_BYTES = 1 << 20;
    /** Those that take the ring before a landing is asked for, {@link FastPathFixture}. */
    private static final int BEFORE = 8;

    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);
    private FastPathFixture fixture;
    private PluginPeer peer;
    private TestClient client;
    private int correlationId;

    /** Over which provider; the same must hold over each. */
    String provider() {
        return FastPathFixture.ANY_MEMORY;
    }

    @BeforeEach
    void start() throws IOException {
        fixture = new FastPathFixture(provider());
        peer = fixture.peer();
        peer.placedFile = fixture.directory.resolve("placed");
        peer.placedBytes = SEGMENT_BYTES;
        client = fixture.client(peer);
    }

    @AfterEach
    void stop() throws IOException {
        peer.run(() -> peer.links.values().forEach(PeerLink::check));
        client.close();
        fixture.close();
        peer.close();
    }

    private PeerLink.Landed landed() throws InterruptedException {
        PeerLink.Landed frame = peer.landed.poll(10, TimeUnit.SECONDS);
        assertThat(frame).as("a frame landed").isNotNull();
        return frame;
    }

    private void reply(PeerLink.Landed frame, int flags, byte[] payload) {
        peer.run(() -> peer.link().reply(frame, flags, payload));
    }

    private byte[] request(int mostBytes) {
        byte[] value = new byte[random.nextInt(mostBytes)];
        random.nextBytes(value);
        return ProduceFrames.produce(correlationId++, value);
    }

    /** Produces by the ring until the next request comes with a landing, whose beginning is granted; returns that request's frame. */
    private byte[] begin() throws InterruptedException {
        for (int i = 0; i < BEFORE; i++) {
            submitByRing(request(100));
        }
        peer.run(() -> {}); // what asks for it is sent behind the last request
        byte[] first;
        PeerLink.Landed frame;
        while (true) {
            first = request(3000);
            client.submit(first);
            frame = landed();
            if (frame.flags() == RingFrame.FLAG_BEGIN_LANDING) {
                break;
            }
            reply(frame, 0, new byte[1]); // the window was still being exported
        }
        assertThat(little(frame.payload()).getInt(0)).isEqualTo(PluginPeer.LANDING);
        reply(frame, 0, little(new byte[4]).putInt(0, FIRST_POSITION).array());
        return first;
    }

    private void submitByRing(byte[] frame) throws InterruptedException {
        TestClient.Request request = client.submit(frame);
        PeerLink.Landed byRing = landed();
        assertThat(byRing.flags()).isZero();
        assertThat(byRing.payload()).isEqualTo(frame);
        reply(byRing, 0, new byte[1]);
        assertThat(request.await().kind()).isEqualTo("respond");
    }

    private static ByteBuffer little(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Puts together what was announced and what lies in the segment, and compares; returns the position behind the batch. */
    private int verify(PeerLink.Landed announced, byte[] sent, int position) throws IOException {
        assertThat(announced.flags()).isEqualTo(RingFrame.FLAG_LANDED);
        ByteBuffer payload = little(announced.payload());
        assertThat(LandedBatches.count(payload)).isEqualTo(1);
        assertThat(LandedBatches.landingId(payload, 0)).isEqualTo(PluginPeer.LANDING);
        assertThat(LandedBatches.position(payload, 0)).isEqualTo(position);
        int length = LandedBatches.lengthBytes(payload, 0);
        int rest = LandedBatches.requestBytes(payload, 1);
        assertThat(rest + length).isEqualTo(sent.length);

        byte[] batch = Arrays.copyOfRange(Files.readAllBytes(peer.placedFile), position, position + length);
        assertThat(Arrays.copyOf(batch, LandedBatches.POISON_BYTES)).containsOnly(0);
        ByteBuffer.wrap(batch).putInt(8, length - LandedBatches.POISON_BYTES);
        byte[] whole = new byte[sent.length];
        int behind = 2; // tagged fields of partition and topic …
        int tail = behind + 1; // … and of the request
        payload.get(LandedBatches.bytes(1), whole, 0, rest - tail);
        System.arraycopy(batch, 0, whole, rest - tail, length);
        payload.get(LandedBatches.bytes(1) + rest - tail, whole, sent.length - tail, tail);
        assertThat(whole).as("seed %d, at %d", seed, position).isEqualTo(sent);
        return position + length;
    }

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
        assertThat(peer.on(() -> peer.requests.stream()
                        .filter(each -> ControlApi.of(each) == ControlApi.PREPARE_LANDING)
                        .count()))
                .isEqualTo(1);
    }
}
