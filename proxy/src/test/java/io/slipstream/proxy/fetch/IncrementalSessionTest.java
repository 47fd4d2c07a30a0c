// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.link.meter.Meter;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.protocol.fetch.FetchPartitions;
import io.slipstream.protocol.fetch.FetchRequestView;
import io.slipstream.protocol.fetch.FetchResponseView;
import io.slipstream.protocol.wire.RequestHeaderView;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchRequestData.ForgottenTopic;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.MessageUtil;
import org.junit.jupiter.api.Test;

/** The state of a session and its answers. Differential tests compare its answers with a broker's. */
class IncrementalSessionTest {
    private static final short VERSION = 12;
    /** Two sessions without partitions. */
    private static final int LIMIT_BYTES = 2 * FetchSessions.SESSION_BYTES;

    private final MeterRegistry meters = new MeterRegistry(Meter.values());
    private long nowNs = 5;
    private final FetchSessions sessions =
            new FetchSessions(LIMIT_BYTES, meters.count(Meter.FETCH_SESSIONS), () -> nowNs);
    private final FetchRequestView view = new FetchRequestView();
    private final IncrementalSession session = sessions.open(false, 5);

    @Test
    void shouldServeInTheOrderOfComingAndMoveWhatYieldedRecordsToTheEnd() {
        session.add(request(0, List.of(entry(0), entry(1), entry(2), entry(3))).partitions);
        session.served(new int[] {0, 7, 0, 9});
        assertThat(turns()).containsExactly(0, 2, 1, 3);
        session.served(new int[] {1, 0, 0, 1});
        assertThat(turns()).containsExactly(2, 1, 0, 3);
    }

    @Test
    void shouldKeepTurnsWhenPartitionsAreForgotten() {
        session.add(request(0, List.of(entry(0), entry(1), entry(2), entry(3))).partitions);
        session.served(new int[] {1, 0, 0, 0});
        assertThat(turns()).containsExactly(1, 2, 3, 0);

        assertThat(session.update(request(1, List.of(entry(8)), 1, 3, 6))).isEqualTo(Errors.NONE);

        assertThat(turns()).containsExactly(2, 0, 8);
        assertThat(session.update(request(2, List.of(entry(1))))).isEqualTo(Errors.NONE);
        assertThat(turns()).containsExactly(2, 0, 8, 1);
        assertThat(session.update(request(3, List.of(), 0, 1, 2, 8))).isEqualTo(Errors.NONE);
        assertThat(session.isEmpty()).isTrue();
    }

    @Test
    void shouldGiveTheLastEntryTheNumberOfARemovedOneAlsoInItsTurn() {
        session.add(request(0, List.of(entry(0), entry(1), entry(2), entry(3))).partitions);
        assertThat(session.update(request(1, List.of(), 1))).isEqualTo(Errors.NONE);
        assertThat(Arrays.copyOf(session.order, 3)).containsExactly(0, 2, 1);
        assertThat(turns()).containsExactly(0, 2, 3);
    }

    @Test
    void shouldTellWhenAnErrorIsOverAlthoughTheWatermarkIsTheSame() {
        FetchPartitions partitions = request(0, List.of(entry(0))).partitions;
        session.add(partitions);
        session.tell(0, 10, 0);
        int[] served = new int[1];
        short error = Errors.NOT_LEADER_OR_FOLLOWER.code();
        assertThat(session.mustTell(partitions, 0, answered(error), served)).isTrue();
        assertThat(session.mustTell(partitions, 0, answered((short) 0), served)).isTrue();
        assertThat(session.mustTell(partitions, 0, answered((short) 0), served)).isFalse();
    }

    /** A partition without records in a broker's answer. */
    private static FetchResponseView answered(short error) {
        FetchResponseView answered = new FetchResponseView();
        answered.partitionError = error;
        answered.highWatermark = 10;
        return answered;
    }

    @Test
    void shouldAskWhatWasSaidLast() {
        session.add(request(0, List.of(entry(0).setFetchOffset(3), entry(1).setFetchOffset(4))).partitions);
        session.update(request(1, List.of(entry(1).setFetchOffset(9).setPartitionMaxBytes(77))));
        assertThat(session.partitions.fetchOffset(0)).isEqualTo(3);
        assertThat(session.partitions.fetchOffset(1)).isEqualTo(9);
        assertThat(session.partitions.maxBytes(1)).isEqualTo(77);
    }

    @Test
    void shouldTellWhatChangedOnly() {
        session.add(request(0, List.of(entry(0))).partitions);
        session.tell(0, 10, 0);
        assertThat(session.mustTell(0, 10, 0, 0)).isFalse();
        assertThat(session.mustTell(0, 10, 0, 1)).isTrue();
        assertThat(session.mustTell(0, 11, 0, 0)).isTrue();
        assertThat(session.mustTell(0, 11, 0, 0)).isFalse();
        assertThat(session.mustTell(0, 11, 5, 0)).isTrue();
        assertThat(session.mustTell(0, 11, 5, 0)).isFalse();
    }

    @Test
    void shouldRefuseAnotherEpochAndAnotherKindOfNames() {
        session.add(request(0, List.of(entry(0))).partitions);
        assertThat(session.update(request(2, List.of()))).isEqualTo(Errors.INVALID_FETCH_SESSION_EPOCH);
        assertThat(session.update(request(1, List.of()))).isEqualTo(Errors.NONE);
        assertThat(session.update(request(1, List.of()))).isEqualTo(Errors.INVALID_FETCH_SESSION_EPOCH);
        assertThat(session.update(request(2, List.of()))).isEqualTo(Errors.NONE);
        IncrementalSession byId = sessions.open(true, 5);
        assertThat(byId.update(request(1, List.of()))).isEqualTo(Errors.FETCH_SESSION_TOPIC_ID_ERROR);
    }

    @Test
    void shouldForgetASessionThatGrowsTooLarge() {
        session.add(request(0, List.of(entry(0), entry(1), entry(2), entry(3), entry(4))).partitions);
        assertThat(session.update(request(1, List.of(entry(5))))).isEqualTo(Errors.FETCH_SESSION_ID_NOT_FOUND);
    }

    /** Topic names must not accumulate. */
    @Test
    void shouldLetGoOfTopicsThatWereForgotten() {
        session.add(request("always", 0, List.of(entry(0)), List.of()).partitions);
        for (int round = 1; round < 2000; round++) {
            FetchRequestView next = request(
                    "topic-" + round,
                    round,
                    List.of(entry(0)),
                    round == 1 ? List.of() : List.of(forget("topic-" + (round - 1), 0)));
            assertThat(session.update(next)).isEqualTo(Errors.NONE);
            assertThat(session.partitions.count).isEqualTo(2);
            assertThat(session.partitions.topicCount).isLessThan(25);
        }
        assertThat(session.partitions.names.capacity()).isLessThan(1000);
        assertThat(new PartitionKey().of(session.partitions, session.order[0]).topic())
                .isEqualTo("always");
        assertThat(new PartitionKey().of(session.partitions, session.order[1]).topic())
                .isEqualTo("topic-1999");
    }

    @Test
    void shouldKeepNoMoreSessionsThanItMay() {
        IncrementalSession second = sessions.open(true, 5);
        assertThat(sessions.open(true, 5)).isNull();
        assertThat(meters.count(Meter.FETCH_SESSIONS).sum()).isEqualTo(2);
        sessions.end(second);
        sessions.end(second);
        assertThat(sessions.use(second)).isFalse();
        assertThat(meters.count(Meter.FETCH_SESSIONS).sum()).isEqualTo(1);
        assertThat(sessions.open(true, 5)).isNotNull();
        assertThat(sessions.use(session)).isTrue();
    }

    @Test
    void shouldEvictForPartitionsToo() {
        IncrementalSession second = sessions.open(true, 5);
        session.add(request(0, List.of(entry(0), entry(1), entry(2))).partitions);
        assertThat(sessions.charge(session))
                .as("three are as large as a session")
                .isFalse();
        nowNs += FetchSessions.STALE_NS + 1;
        assertThat(sessions.use(session)).isTrue();
        assertThat(sessions.charge(session)).as("in place of the second").isTrue();
        assertThat(sessions.use(second)).isFalse();

        session.add(request(0, List.of(entry(3))).partitions);
        assertThat(sessions.charge(session)).as("alone too large").isFalse();
        sessions.end(session);
        assertThat(sessions.open(true, 5)).isNotNull();
        assertThat(sessions.open(true, 5)).as("all was given back").isNotNull();
    }

    @Test
    void shouldEvictWhatWasNotUsedForLong() {
        IncrementalSession second = sessions.open(true, 5);
        nowNs += FetchSessions.STALE_NS;
        assertThat(sessions.open(true, 5)).as("just not too long ago").isNull();
        assertThat(sessions.use(session)).isTrue();
        nowNs++;
        assertThat(sessions.open(true, 5)).isNotNull();
        assertThat(sessions.use(second)).isFalse();
        assertThat(sessions.use(session)).isTrue();
        assertThat(meters.count(Meter.FETCH_SESSIONS).sum()).isEqualTo(2);
    }

    private List<Integer> turns() {
        int count = session.partitions.count;
        return Arrays.stream(session.order, 0, count)
                .mapToObj(session.partitions::partition)
                .toList();
    }

    private static FetchPartition entry(int partition) {
        return new FetchPartition().setPartition(partition);
    }

    private static ForgottenTopic forget(String topic, Integer... partitions) {
        return new ForgottenTopic().setTopic(topic).setPartitions(List.of(partitions));
    }

    private FetchRequestView request(int epoch, List<FetchPartition> entries, Integer... forgotten) {
        return request("t", epoch, entries, forgotten.length == 0 ? List.of() : List.of(forget("t", forgotten)));
    }

    private FetchRequestView request(
            String topic, int epoch, List<FetchPartition> entries, List<ForgottenTopic> forgotten) {
        FetchRequestData data = new FetchRequestData()
                .setSessionId(session.id)
                .setSessionEpoch(epoch)
                .setForgottenTopicsData(forgotten);
        if (!entries.isEmpty()) {
            data.setTopics(List.of(new FetchTopic().setTopic(topic).setPartitions(entries)));
        }
        RequestHeaderData header = new RequestHeaderData()
                .setRequestApiKey((short) 1)
                .setRequestApiVersion(VERSION)
                .setClientId("c");
        ByteBuffer head = MessageUtil.toByteBufferAccessor(header, (short) 2).buffer();
        ByteBufferAccessor body = MessageUtil.toByteBufferAccessor(data, VERSION);
        ByteBuffer frame = ByteBuffer.allocate(head.remaining() + body.buffer().remaining())
                .put(head)
                .put(body.buffer())
                .flip();
        RequestHeaderView headerView = new RequestHeaderView();
        assertThat(headerView.wrap(frame)).isTrue();
        assertThat(view.wrap(frame, headerView.bodyPosition, VERSION)).isTrue();
        return view;
    }
}
