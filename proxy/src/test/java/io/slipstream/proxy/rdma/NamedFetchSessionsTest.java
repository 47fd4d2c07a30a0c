// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

import static io.slipstream.proxy.fetch.FetchFrames.fetch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.link.meter.Meter;
import io.slipstream.proxy.fetch.FetchAnswers;
import io.slipstream.proxy.fetch.FetchFrames;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Full Fetches that name a session, and sessions that open with a Fetch which the broker answers. */
@Timeout(60)
class NamedFetchSessionsTest {
    private static final int MB = 1 << 20;
    private static final short OUT_OF_RANGE = Errors.OFFSET_OUT_OF_RANGE.code();

    private FastPathFixture fixture;
    private PluginPeer peer;
    private TestClient client;

    @BeforeEach
    void start() throws IOException {
        fixture = new FastPathFixture(FastPathFixture.ANY_MEMORY, 10_000, 50, 10_000);
        peer = fixture.peer();
        client = fixture.client(peer);
        PeerLog log = peer.on(() -> peer.log("cars", 0));
        peer.run(() -> {
            log.append("a");
            log.commit();
            peer.publish(log);
        });
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
        assertThat(fixture.meters.value(Meter.FETCH_SESSIONS)).isZero();
        fixture.close();
        peer.close();
    }

    private TestClient.Request submit(FetchFrames frames, int sessionId, int epoch) {
        return client.submit(frames.with(
                        d -> d.setSessionId(sessionId).setSessionEpoch(epoch).setMaxWaitMs(0))
                .bytes());
    }

    private String kind(int sessionId, int epoch) {
        return submit(fetch().partition(0, 0, MB), sessionId, epoch).await().kind();
    }

    private FetchResponseData served(FetchFrames frames, int sessionId, int epoch) {
        TestClient.Answer answer = submit(frames, sessionId, epoch).await();
        assertThat(answer.kind()).isEqualTo("respond");
        return FetchAnswers.parse(answer.response());
    }

    private void bind() {
        await().until(() -> kind(0, -1).equals("respond"));
    }

    @Test
    void shouldServeFetchesThatCloseASessionWhichHasEnded() {
        bind();
        assertThat(kind(-1, -1)).isEqualTo("respond");
        assertThat(kind(99, -1)).as("the broker may know it, and ends it").isEqualTo("fallBack:NOT_ELIGIBLE");
        assertThat(kind(99, -1)).isEqualTo("respond");
        int opened = served(fetch().partition(0, 0, MB), 0, 0).sessionId();
        assertThat(opened).isPositive();
        for (int i = 0; i < 3; i++) {
            FetchResponseData closed = served(fetch().partition(0, 0, MB), opened, -1);
            assertThat(closed.sessionId()).isZero();
            assertThat(FetchAnswers.records(FetchAnswers.only(closed))).isNotEmpty();
        }
        assertThat(served(fetch(), opened, 1).errorCode()).isEqualTo(Errors.FETCH_SESSION_ID_NOT_FOUND.code());
    }

    @Test
    void shouldServeAFetchThatClosesTheSessionReplacedBefore() {
        bind();
        int first = served(fetch().partition(0, 0, MB), 0, 0).sessionId();
        int second = served(fetch().partition(0, 0, MB), first, 0).sessionId();
        assertThat(second).isPositive().isNotEqualTo(first);
        assertThat(kind(first, -1)).isEqualTo("respond");
        assertThat(served(fetch(), second, 1).errorCode()).isZero();
    }

    @Test
    void shouldLeaveIdsThatABrokerRefusesToTheBroker() {
        bind();
        for (int i = 0; i < 2; i++) {
            assertThat(kind(Integer.MIN_VALUE, -1)).isEqualTo("fallBack:NOT_ELIGIBLE");
        }
    }

    @Test
    void shouldOpenASessionWithAFetchThatTheBrokerAnswers() {
        bind();
        TestClient.Request opening = submit(fetch().partition(0, 5, MB), 0, 0);
        assertThat(opening.await().kind()).isEqualTo("fallBack:NOT_READABLE");
        FetchRequestData asked = asked(opening);
        assertThat(asked.sessionId()).isZero();
        assertThat(asked.sessionEpoch()).isEqualTo(-1);
        FetchResponseData opened = translated(opening, answer(partition(0, OUT_OF_RANGE)));
        assertThat(opened.sessionId()).isPositive();
        assertThat(FetchAnswers.only(opened).errorCode()).isEqualTo(OUT_OF_RANGE);

        FetchResponseData read = served(fetch().partition(0, 0, MB), opened.sessionId(), 1);
        assertThat(read.sessionId()).isEqualTo(opened.sessionId());
        assertThat(FetchAnswers.records(FetchAnswers.only(read))).isNotEmpty();
    }

    @Test
    void shouldOpenNoSessionIfTheBrokerWouldNot() {
        bind();
        TestClient.Request throttled = submit(fetch().partition(0, 5, MB), 0, 0);
        assertThat(throttled.await().kind()).isEqualTo("fallBack:NOT_READABLE");
        assertThat(translated(throttled, answer().setThrottleTimeMs(9)).sessionId())
                .isZero();
        assertThat(fixture.meters.value(Meter.FETCH_SESSIONS)).isZero();
    }

    @Test
    void shouldKeepASessionThatOpensBeforeTheConnectionIsBound() {
        client.upstreamStalls = true;
        TestClient.Request opening = submit(fetch().partition(0, 0, MB), 0, 0);
        assertThat(opening.await().kind()).isEqualTo("fallBack:SESSION_NOT_BOUND");
        FetchResponseData opened = translated(opening, answer(partition(0, (short) 0)));
        assertThat(opened.sessionId()).isPositive();
        TestClient.Request next = submit(fetch(), opened.sessionId(), 1);
        assertThat(next.await().kind()).isEqualTo("fallBack:SESSION_NOT_BOUND");
        assertThat(asked(next).topics()).as("all that the session fetches").hasSize(1);
        assertThat(translated(next, answer(partition(0, (short) 0))).responses())
                .as("nothing has changed")
                .isEmpty();
    }

    private static FetchRequestData asked(TestClient.Request request) {
        ByteBufferAccessor in = new ByteBufferAccessor(ByteBuffer.wrap(request.otherFrame));
        new RequestHeaderData(in, (short) 2);
        return new FetchRequestData(in, (short) 17);
    }

    private FetchResponseData translated(TestClient.Request request, FetchResponseData brokers) {
        byte[] response = FetchAnswers.bytes(brokers);
        int sizeBytes = client.on(() -> request.translation.translate(ByteBuffer.wrap(response)));
        return FetchAnswers.parse(Arrays.copyOf(response, sizeBytes));
    }

    private static PartitionData partition(int index, short error) {
        return new PartitionData()
                .setPartitionIndex(index)
                .setErrorCode(error)
                .setHighWatermark(error == 0 ? 1 : -1)
                .setLogStartOffset(error == 0 ? 0 : -1);
    }

    private static FetchResponseData answer(PartitionData... partitions) {
        return new FetchResponseData()
                .setResponses(
                        partitions.length == 0
                                ? List.of()
                                : List.of(new FetchableTopicResponse()
                                        .setTopicId(FetchFrames.TOPIC_ID)
                                        .setPartitions(List.of(partitions))));
    }
}
