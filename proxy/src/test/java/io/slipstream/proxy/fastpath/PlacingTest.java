package io.slipstream.proxy.fastpath;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.protocol.ring.LandedBatches;
import io.slipstream.protocol.ring.RingFrame;
import io.slipstream.proxy.fastpath.produce.ProduceFrames;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A proxy whose broker has batches placed in a segment. */
abstract class PlacingTest {
    static final int FIRST_POSITION = 1234;
    static final int SEGMENT_BYTES = 1 << 20;
    /** Those that take the ring before a landing is asked for, {@link FastPathFixture}. */
    static final int BEFORE = 8;

    private final long seed = System.nanoTime();
    final Random random = new Random(seed);
    FastPathFixture fixture;
    PluginPeer peer;
    TestClient client;
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

    final PeerLink.Landed landed() throws InterruptedException {
        PeerLink.Landed frame = peer.landed.poll(10, TimeUnit.SECONDS);
        assertThat(frame).as("a frame landed").isNotNull();
        return frame;
    }

    final void reply(PeerLink.Landed frame, int flags, byte[] payload) {
        peer.run(() -> peer.link().reply(frame, flags, payload));
    }

    final byte[] request(int mostBytes) {
        byte[] value = new byte[random.nextInt(mostBytes)];
        random.nextBytes(value);
        return ProduceFrames.produce(correlationId++, value);
    }

    /** Produces by the ring until the next request comes with a landing, whose beginning is granted; returns that request's frame. */
    final byte[] begin() throws InterruptedException {
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

    final void submitByRing(byte[] frame) throws InterruptedException {
        TestClient.Request request = client.submit(frame);
        PeerLink.Landed byRing = landed();
        assertThat(byRing.flags()).isZero();
        assertThat(byRing.payload()).isEqualTo(frame);
        reply(byRing, 0, new byte[1]);
        assertThat(request.await().kind()).isEqualTo("respond");
    }

    static ByteBuffer little(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Puts together what was announced and what lies in the segment, and compares; returns the position behind the batch. */
    final int verify(PeerLink.Landed announced, byte[] sent, int position) throws IOException {
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
}
