// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.protocol.ring.RingFrame;
import io.slipstream.proxy.ring.ProduceFrames;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.MessageUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests other than Produce in the ring. */
@Timeout(60)
class RingApisByRdmaTest {
    private FastPathFixture fixture;
    private PluginPeer peer;
    private TestClient client;

    @BeforeEach
    void start() throws IOException {
        fixture = new FastPathFixture(FastPathFixture.ANY_MEMORY);
        peer = fixture.peer();
        client = fixture.client(peer);
    }

    @AfterEach
    void stop() throws IOException {
        peer.run(() -> peer.links.values().forEach(PeerLink::check));
        client.close();
        fixture.close();
        peer.close();
    }

    private static byte[] request(ApiKeys api) {
        short version = api.latestVersion(false);
        RequestHeaderData header = new RequestHeaderData()
                .setRequestApiKey(api.id)
                .setRequestApiVersion(version)
                .setCorrelationId(7)
                .setClientId("consumer-1");
        ByteBuffer head = MessageUtil.toByteBufferAccessor(header, api.requestHeaderVersion(version))
                .buffer();
        ByteBuffer body = MessageUtil.toByteBufferAccessor(api.messageType.newRequest(), version)
                .buffer();
        return ByteBuffer.allocate(head.remaining() + body.remaining())
                .put(head)
                .put(body)
                .array();
    }

    private PeerLink.Landed landed() throws InterruptedException {
        PeerLink.Landed frame = peer.landed.poll(10, TimeUnit.SECONDS);
        assertThat(frame).as("a frame landed").isNotNull();
        return frame;
    }

    private void reply(PeerLink.Landed frame, int flags, String payload) {
        peer.run(() -> peer.link().reply(frame, flags, payload.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void shouldCarryARequestByteForByte() throws InterruptedException {
        byte[] commit = request(ApiKeys.OFFSET_COMMIT);
        TestClient.Request request = client.submit(commit);
        PeerLink.Landed landed = landed();
        assertThat(landed.payload()).isEqualTo(commit);
        reply(landed, 0, "committed");
        assertThat(request.await().response()).asString().isEqualTo("committed");
    }

    /** Answers of others come between the parts of a large one. */
    @Test
    void shouldPutTheAnswerTogetherFromParts() throws InterruptedException {
        TestClient other = fixture.client(peer);
        TestClient.Request large = client.submit(request(ApiKeys.DESCRIBE_CONFIGS));
        PeerLink.Landed described = landed();
        TestClient.Request commit = other.submit(request(ApiKeys.OFFSET_COMMIT));
        PeerLink.Landed committed = landed();
        peer.run(() -> peer.link().part(described, "\0\0\0\14all"));
        peer.run(() -> peer.link().part(described, " of the "));
        reply(committed, 0, "committed");
        assertThat(commit.await().response()).asString().isEqualTo("committed");
        assertThat(large.answer).isNotDone();
        reply(described, 0, "x");
        assertThat(large.await().response()).asString().isEqualTo("all of the x");
        other.close();
    }

    @Test
    void shouldEndTheLinkIfPartsAreMoreThanTheirSize() throws InterruptedException {
        TestClient.Request large = client.submit(request(ApiKeys.DESCRIBE_CONFIGS));
        PeerLink.Landed described = landed();
        peer.run(() -> peer.link().part(described, "\0\0\0\7all"));
        peer.run(() -> peer.link().part(described, " of "));
        assertThat(large.await().kind()).startsWith("close:");
    }

    /** The client of a broken answer may not get the beginning of it. */
    @Test
    void shouldCloseTheConnectionIfTheRestOfAnAnswerIsMissing() throws InterruptedException {
        TestClient.Request large = client.submit(request(ApiKeys.DESCRIBE_CONFIGS));
        PeerLink.Landed described = landed();
        peer.run(() -> peer.link().part(described, "\0\0\0\7all"));
        reply(described, RingFrame.FLAG_CLOSE_CONNECTION, "");
        assertThat(large.await().kind()).startsWith("close:");
    }

    /** Each join is handled, and waits for its answer. */
    @Test
    void shouldLeaveHalfOfALinkToRequestsThatDoNotWait() throws InterruptedException {
        List<TestClient> members = new ArrayList<>();
        List<PeerLink.Landed> waiting = new ArrayList<>();
        TestClient.Request join;
        do {
            TestClient member = fixture.client(peer);
            members.add(member);
            join = member.submit(request(ApiKeys.JOIN_GROUP));
            PeerLink.Landed frame = null;
            while (frame == null && !join.answer.isDone()) {
                frame = peer.landed.poll(10, TimeUnit.MILLISECONDS);
            }
            if (frame != null) {
                waiting.add(frame);
                long end = frame.end();
                peer.run(() -> {
                    peer.link().released = end;
                    peer.link().throttle(RingFrame.NO_SESSION, false);
                });
            }
        } while (!join.answer.isDone());
        assertThat(join.await().kind()).isEqualTo("fallBack:RING_FULL");
        assertThat(waiting).hasSizeBetween(10, 30);

        TestClient.Request commit = client.submit(request(ApiKeys.OFFSET_COMMIT));
        reply(landed(), 0, "committed");
        assertThat(commit.await().kind()).isEqualTo("respond");
        waiting.forEach(frame -> reply(frame, 0, "joined"));
        members.forEach(TestClient::close);
    }

    @Test
    void shouldSendOnlyProduceToAPluginOfAnotherRelease() throws InterruptedException {
        peer.ringApis = null;
        assertThat(client.submit(request(ApiKeys.HEARTBEAT)).await().kind()).isEqualTo("fallBack:NOT_ELIGIBLE");
        TestClient.Request produce = client.submit(ProduceFrames.produce(1, 10));
        reply(landed(), 0, "written");
        assertThat(produce.await().kind()).isEqualTo("respond");
    }
}
