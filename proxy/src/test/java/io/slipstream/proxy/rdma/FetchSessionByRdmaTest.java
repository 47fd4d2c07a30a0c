// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

import static io.slipstream.proxy.fetch.FetchAnswers.records;
import static io.slipstream.proxy.fetch.FetchFrames.fetch;
import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.proxy.fetch.FetchAnswers;
import io.slipstream.proxy.fetch.FetchFrames;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** Fetches of one client connection with a fetch session, answered by RDMA or by the broker. */
class FetchSessionByRdmaTest extends FetchScene {
    @Test
    void shouldTakeTurnsForAClientThatWantedASession() {
        PeerLog second = peer.on(() -> peer.log("cars", 1));
        for (int i = 0; i < 2; i++) {
            append("a".repeat(500));
            append(second, "b".repeat(500));
        }
        FetchFrames limited = fetch().with(d -> d.setMaxBytes(600).setSessionEpoch(0))
                .partition(0, 0, MB)
                .partition(1, 0, MB);
        FetchResponseData opened = parse(client.submit(limited.bytes()).await(), 17);
        var first = opened.responses().get(0).partitions();
        assertThat(records(first.get(0))).isNotEmpty();
        assertThat(records(first.get(1))).isEmpty();
        assertThat(opened.sessionId()).isPositive();

        // A partition that yielded records moves to the end with the first incremental answer.
        for (int epoch = 1; epoch <= 3; epoch++) {
            int turn = epoch;
            FetchFrames next = fetch().with(d ->
                    d.setMaxBytes(600).setSessionId(opened.sessionId()).setSessionEpoch(turn));
            if (epoch == 1) {
                next.partition(0, 1, MB);
            }
            var answered = parse(client.submit(next.bytes()).await(), 17)
                    .responses()
                    .get(0)
                    .partitions();
            assertThat(answered).extracting(PartitionData::partitionIndex).containsExactly(epoch == 2 ? 1 : 0);
            assertThat(records(answered.get(0))).isNotEmpty();
        }
    }

    @Test
    void shouldAskTheBrokerWithoutASessionAndMakeItsAnswerOneOfTheSession() {
        append("a");
        append(peer.on(() -> peer.log("cars", 1)), "b");
        FetchResponseData opened = parse(
                client.submit(fetch().with(d -> d.setSessionEpoch(0))
                                .partition(0, 0, MB)
                                .partition(1, 0, MB)
                                .bytes())
                        .await(),
                17);
        // At its end, the first one has nothing to serve by RDMA.
        TestClient.Request request = client.submit(
                fetch().with(d -> d.setSessionId(opened.sessionId()).setSessionEpoch(1))
                        .partition(0, 1, MB)
                        .partition(1, 5, MB)
                        .bytes());
        assertThat(request.await().kind()).isEqualTo("fallBack:NOT_READABLE");

        ByteBufferAccessor in = new ByteBufferAccessor(ByteBuffer.wrap(request.otherFrame));
        new RequestHeaderData(in, (short) 2);
        FetchRequestData asked = new FetchRequestData(in, (short) 17);
        assertThat(in.remaining()).isZero();
        assertThat(asked.sessionId()).isZero();
        assertThat(asked.sessionEpoch()).isEqualTo(-1);
        assertThat(asked.topics()).hasSize(1);
        assertThat(asked.topics().get(0).partitions())
                .extracting(FetchRequestData.FetchPartition::fetchOffset)
                .containsExactly(1L, 5L);

        FetchResponseData brokers = new FetchResponseData()
                .setResponses(List.of(new FetchResponseData.FetchableTopicResponse()
                        .setTopicId(FetchFrames.TOPIC_ID)
                        .setPartitions(List.of(
                                new PartitionData()
                                        .setPartitionIndex(0)
                                        .setHighWatermark(1)
                                        .setLogStartOffset(0),
                                new PartitionData().setPartitionIndex(1).setErrorCode((short) 1)))));
        FetchResponseData translated = translated(request, brokers);
        assertThat(translated.sessionId()).isEqualTo(opened.sessionId());
        assertThat(translated.responses().get(0).partitions())
                .extracting(PartitionData::partitionIndex)
                .containsExactly(1);
    }

    /** The answer to a request that fell back with a substitute, which the broker answered. */
    private static FetchResponseData translated(TestClient.Request request, FetchResponseData brokers) {
        byte[] response = FetchAnswers.bytes(brokers);
        int sizeBytes = request.translation.translate(ByteBuffer.wrap(response));
        return FetchAnswers.parse(Arrays.copyOf(response, sizeBytes));
    }

    @Test
    void shouldLeaveOutOfRangeToTheBrokerAndAskItToKeepNoSession() {
        append("a");
        TestClient.Answer answer = client.submit(fetch().with(d -> d.setSessionEpoch(0))
                        .partition(0, 5, MB)
                        .bytes())
                .await();
        assertThat(answer.kind()).isEqualTo("fallBack:NOT_READABLE");
        ByteBufferAccessor in = new ByteBufferAccessor(ByteBuffer.wrap(answer.frame()));
        new RequestHeaderData(in, (short) 2);
        FetchRequestData forwarded = new FetchRequestData(in, (short) 17);
        assertThat(forwarded.sessionId()).isZero();
        assertThat(forwarded.sessionEpoch()).isEqualTo(-1);
    }

    @Test
    void shouldTellIncrementalFetchesThatTheirSessionIsUnknown() {
        append("a");
        fetched(fetch().partition(0, 0, MB));
        FetchResponseData response = parse(
                client.submit(fetch().with(d -> d.setSessionId(99).setSessionEpoch(3))
                                .bytes())
                        .await(),
                17);
        assertThat(response.errorCode()).isEqualTo(Errors.FETCH_SESSION_ID_NOT_FOUND.code());
        assertThat(response.sessionId()).isZero();
        assertThat(response.responses()).isEmpty();
    }
}
