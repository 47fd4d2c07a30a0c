// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

import static io.slipstream.proxy.fetch.FetchAnswers.records;
import static io.slipstream.proxy.fetch.FetchFrames.fetch;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.slipstream.link.meter.Meter;
import io.slipstream.protocol.control.ControlApi;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.proxy.fetch.FetchAnswers;
import io.slipstream.proxy.fetch.FetchFrames;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Fetches of which RDMA serves some partitions, and the broker the rest. */
class SplitFetchTest extends FetchScene {
    /** A partition that the plugin does not grant. */
    private static final int REFUSED = 9;

    private byte[] batch;

    @BeforeEach
    void append() {
        batch = append("a".repeat(300));
    }

    private static FetchFrames both() {
        return fetch().partition(0, 0, MB).partition(REFUSED, 5, MB);
    }

    private static FetchRequestData asked(TestClient.Request request) {
        assertThat(request.await().kind()).isEqualTo("fallBack:NOT_READABLE");
        assertThat(request.otherFrame).as("a substitute request").isNotNull();
        return read(request.otherFrame);
    }

    private static FetchRequestData read(byte[] frame) {
        ByteBufferAccessor in = new ByteBufferAccessor(ByteBuffer.wrap(frame));
        new RequestHeaderData(in, (short) 2);
        return new FetchRequestData(in, (short) 17);
    }

    private static List<Integer> partitions(FetchRequestData asked) {
        return asked.topics().stream()
                .flatMap(topic -> topic.partitions().stream())
                .map(FetchPartition::partition)
                .toList();
    }

    private static FetchResponseData answer(PartitionData... partitions) {
        return new FetchResponseData()
                .setResponses(List.of(new FetchableTopicResponse()
                        .setTopicId(FetchFrames.TOPIC_ID)
                        .setPartitions(List.of(partitions))));
    }

    private static PartitionData ofBroker(byte[] records) {
        return new PartitionData()
                .setPartitionIndex(REFUSED)
                .setHighWatermark(33)
                .setLastStableOffset(33)
                .setLogStartOffset(0)
                .setRecords(MemoryRecords.readableRecords(ByteBuffer.wrap(records)));
    }

    /** What the client gets when the broker answers that to the rest. */
    private FetchResponseData merged(TestClient.Request request, FetchResponseData brokers) {
        byte[] answered = FetchAnswers.bytes(brokers);
        byte[] response = client.on(() -> {
            ByteBuf rest = PooledByteBufAllocator.DEFAULT
                    .directBuffer()
                    .writeInt(answered.length)
                    .writeBytes(answered);
            ByteBuf whole = request.translation.merge(rest);
            request.translation.release();
            ByteBuf wire = whole == null ? rest.retain() : whole;
            rest.release();
            ByteBuffer frame = wire.nioBuffer(4, wire.readableBytes() - 4);
            assertThat(wire.readInt()).isEqualTo(frame.remaining());
            byte[] bytes = new byte[request.translation.translate(frame)];
            frame.get(bytes);
            wire.release();
            return bytes;
        });
        return FetchAnswers.parse(response);
    }

    private static List<PartitionData> partitions(FetchResponseData response) {
        List<PartitionData> all = new ArrayList<>();
        response.responses().forEach(topic -> all.addAll(topic.partitions()));
        return all;
    }

    @Test
    void shouldServeWhatItCanAndAskTheBrokerForTheRest() {
        TestClient.Request request = client.submit(both().bytes());
        FetchRequestData asked = asked(request);
        assertThat(partitions(asked)).containsExactly(REFUSED);
        assertThat(asked.topics().get(0).partitions().get(0).fetchOffset()).isEqualTo(5);
        assertThat(asked.maxWaitMs()).as("the records by RDMA do not wait").isZero();
        assertThat(asked.maxBytes()).isEqualTo((1 << 20) - batch.length);
        assertThat(asked.sessionId()).isZero();
        assertThat(asked.sessionEpoch()).isEqualTo(-1);

        byte[] rest = new byte[] {1, 2, 3};
        FetchResponseData answered = merged(request, answer(ofBroker(rest)));
        assertThat(answered.sessionId()).isZero();
        assertThat(partitions(answered))
                .extracting(PartitionData::partitionIndex)
                .containsExactly(0, REFUSED);
        assertThat(records(partitions(answered).get(0))).isEqualTo(batch);
        assertThat(records(partitions(answered).get(1))).isEqualTo(rest);
        assertThat(partitions(answered).get(1).highWatermark()).isEqualTo(33);
    }

    @Test
    void shouldServeSeveralPartitionsBesideOneOfTheBroker() {
        byte[] other = append(peer.on(() -> peer.log("cars", 1)), "b");
        TestClient.Request request = client.submit(fetch().partition(REFUSED, 5, MB)
                .partition(1, 0, MB)
                .partition(0, 0, MB)
                .bytes());
        assertThat(asked(request).maxBytes())
                .as("it is first, so nothing is taken off")
                .isEqualTo(1 << 20);
        List<PartitionData> answered = partitions(merged(request, answer(ofBroker(new byte[0]))));
        assertThat(answered).extracting(PartitionData::partitionIndex).containsExactly(REFUSED, 1, 0);
        assertThat(records(answered.get(1))).isEqualTo(other);
        assertThat(records(answered.get(2))).isEqualTo(batch);
    }

    @Test
    void shouldLeaveTheWholeRequestToTheBrokerWithNothingToServe() {
        append("b");
        TestClient.Request served = client.submit(both().bytes());
        assertThat(partitions(asked(served))).containsExactly(REFUSED);
        byte[] atTheEnd = fetch().with(d -> d.setMaxWaitMs(20_000))
                .partition(0, 2, MB)
                .partition(REFUSED, 5, MB)
                .bytes();
        TestClient.Request waiting = client.submit(atTheEnd);
        assertThat(waiting.await().kind()).isEqualTo("fallBack:NOT_READABLE");
        assertThat(waiting.otherFrame).isNull();
        assertThat(waiting.await().frame())
                .as("with its own wait, which either side ends")
                .isEqualTo(atTheEnd);
    }

    @Test
    void shouldLeaveTheWholeRequestToTheBrokerBelowItsMinBytes() {
        TestClient.Request request =
                client.submit(both().with(d -> d.setMinBytes(batch.length + 1)).bytes());
        assertThat(request.await().kind()).isEqualTo("fallBack:NOT_READABLE");
        assertThat(request.otherFrame).isNull();
    }

    /** What the limit leaves for a partition by RDMA depends on the broker's records, which nobody knows yet. */
    @Test
    void shouldLeaveTheWholeRequestToTheBrokerWhereItsLimitIsTooLittle() {
        append("b".repeat(300));
        FetchFrames request = fetch().partition(REFUSED, 5, MB).partition(0, 0, MB);
        TestClient.Request enough =
                client.submit(request.with(d -> d.setMaxBytes(2 * batch.length)).bytes());
        assertThat(partitions(asked(enough))).containsExactly(REFUSED);

        TestClient.Request tooLittle = client.submit(
                request.with(d -> d.setMaxBytes(2 * batch.length - 1)).bytes());
        assertThat(tooLittle.await().kind()).isEqualTo("fallBack:NOT_READABLE");
        assertThat(tooLittle.otherFrame).isNull();
    }

    @Test
    void shouldNotAskThePluginAgainAndAgain() {
        for (int i = 0; i < 20; i++) {
            asked(client.submit(both().bytes()));
            append("more");
        }
        assertThat(peer.on(() -> peer.requests.stream()
                        .filter(each -> each instanceof io.slipstream.protocol.control.ControlRequest.Locate locate
                                && locate.partition() == REFUSED)
                        .count()))
                .as("the first answer may be an exception, the pauses double from the second one on")
                .isBetween(2L, 10L);
    }

    @Test
    void shouldServeThePartitionOnceItIsGranted() {
        asked(client.submit(both().bytes()));
        append(peer.on(() -> peer.log("cars", REFUSED)), "late", "later");
        byte[] now = fetch().partition(0, 0, MB).partition(REFUSED, 0, MB).bytes();
        TestClient.Answer answer = client.submit(now).await();
        long giveUpNs = System.nanoTime() + SOON.toNanos();
        while (!answer.kind().equals("respond") && System.nanoTime() < giveUpNs) {
            answer = client.submit(now).await();
        }
        assertThat(partitions(parse(answer, 17)))
                .extracting(PartitionData::partitionIndex)
                .containsExactly(0, REFUSED);
    }

    @Test
    void shouldDivideARequestWithinItsSession() {
        FetchRequestData first =
                asked(client.submit(both().with(d -> d.setSessionEpoch(0)).bytes()));
        assertThat(first.sessionEpoch()).isEqualTo(-1);
        TestClient.Request opening =
                client.submit(both().with(d -> d.setSessionEpoch(0)).bytes());
        asked(opening);
        FetchResponseData opened = merged(opening, answer(ofBroker(new byte[0])));
        assertThat(opened.sessionId()).isPositive();
        assertThat(partitions(opened)).hasSize(2);

        byte[] next = append("b");
        TestClient.Request incremental = client.submit(
                fetch().with(d -> d.setSessionId(opened.sessionId()).setSessionEpoch(1))
                        .partition(0, 1, MB)
                        .bytes());
        assertThat(partitions(asked(incremental)))
                .as("the partition that the session has")
                .containsExactly(REFUSED);
        FetchResponseData changes = merged(incremental, answer(ofBroker(new byte[0])));
        assertThat(changes.sessionId()).isEqualTo(opened.sessionId());
        assertThat(partitions(changes))
                .as("the other one is as it was")
                .extracting(PartitionData::partitionIndex)
                .containsExactly(0);
        assertThat(records(partitions(changes).get(0))).isEqualTo(next);

        append("c");
        TestClient.Request failing = client.submit(
                fetch().with(d -> d.setSessionId(opened.sessionId()).setSessionEpoch(2))
                        .partition(0, 2, MB)
                        .bytes());
        asked(failing);
        PartitionData error = ofBroker(new byte[0]).setErrorCode(Errors.OFFSET_OUT_OF_RANGE.code());
        assertThat(partitions(merged(failing, answer(error))))
                .as("it has not yielded records lately, so it is first")
                .extracting(PartitionData::partitionIndex)
                .containsExactly(REFUSED, 0);

        append("d");
        TestClient.Request without = client.submit(fetch().with(d -> d.setSessionId(opened.sessionId())
                        .setSessionEpoch(3)
                        .setForgottenTopicsData(List.of(new FetchRequestData.ForgottenTopic()
                                .setTopicId(FetchFrames.TOPIC_ID)
                                .setPartitions(List.of(REFUSED)))))
                .partition(0, 3, MB)
                .bytes());
        assertThat(without.await().kind()).as("all by RDMA").isEqualTo("respond");
    }

    @Test
    void shouldPassOnAThrottledAnswer() {
        TestClient.Request request = client.submit(both().bytes());
        asked(request);
        FetchResponseData answered = merged(request, new FetchResponseData().setThrottleTimeMs(77));
        assertThat(answered.throttleTimeMs()).isEqualTo(77);
        assertThat(answered.responses()).isEmpty();
    }

    @Test
    void shouldCountThePartUntilItIsMerged() {
        TestClient.Request request = client.submit(both().bytes());
        asked(request);
        assertThat(fixture.meters.value(Meter.OUTBOUND_BYTES, "read")).isGreaterThan(batch.length);
        merged(request, answer(ofBroker(new byte[0])));
        assertThat(fixture.meters.value(Meter.OUTBOUND_BYTES, "read")).isZero();
    }

    @Test
    void shouldFallBackAsAWholeWhenNothingIsGranted() {
        peer.run(() -> peer.refusals.put(ControlApi.LOCATE, ControlError.LIMIT));
        TestClient.Request request = client.submit(both().bytes());
        assertThat(request.await().kind()).isEqualTo("fallBack:LIMIT");
        assertThat(request.otherFrame).isNull();
    }
}
