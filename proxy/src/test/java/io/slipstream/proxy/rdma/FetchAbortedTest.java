// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

import static io.slipstream.proxy.fetch.FetchAnswers.concat;
import static io.slipstream.proxy.fetch.FetchAnswers.only;
import static io.slipstream.proxy.fetch.FetchAnswers.records;
import static io.slipstream.proxy.fetch.FetchFrames.fetch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.protocol.control.ControlApi;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.proxy.fetch.FetchFrames;
import java.io.IOException;
import java.util.List;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Fetches of a read_committed consumer where transactions were aborted, against a plugin's end on real shared memory.
 */
class FetchAbortedTest extends FetchScene {
    private static final long PRODUCER = 77;

    /** Aborts a transaction with these offsets, and appends a batch instead of its marker. */
    private byte[] abort(long producerId, long firstOffset, int listedFromBytes) {
        return peer.on(() -> {
            byte[] marker = log.append("marker");
            log.commit();
            log.abort(producerId, firstOffset, log.endOffset - 1, listedFromBytes);
            peer.publish(log);
            return marker;
        });
    }

    private static FetchFrames committed() {
        return fetch().with(d -> d.setIsolationLevel((byte) 1));
    }

    private PartitionData fetched(FetchFrames frames, int version) {
        return only(parse(client.submit(frames.bytes()).await(), version));
    }

    private static List<String> listed(PartitionData partition) {
        return partition.abortedTransactions().stream()
                .map(each -> each.producerId() + "@" + each.firstOffset())
                .toList();
    }

    private long questions() {
        return peer.on(() -> peer.requests.stream()
                .filter(ControlRequest.ListAborted.class::isInstance)
                .count());
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 7, 11, 12, 13, 17, 18})
    void shouldListThemInEveryVersionForReadCommittedOnly(int version) {
        byte[] data = append("a", "b");
        byte[] marker = abort(PRODUCER, 0, -1);
        FetchFrames uncommitted = fetch().version(version).partition(0, 0, MB);
        assertThat(fetched(uncommitted, version).abortedTransactions()).isNull();
        assertThat(questions()).isZero();
        PartitionData partition = fetched(committed().version(version).partition(0, 0, MB), version);
        assertThat(listed(partition)).containsExactly("77@0");
        assertThat(records(partition)).isEqualTo(concat(data, marker));
    }

    @Test
    void shouldNotAskWhereTheSlotSaysThatThereAreNone() {
        append("a");
        assertThat(listed(fetched(committed().partition(0, 0, MB)))).isEmpty();
        assertThat(questions()).isZero();
    }

    @Test
    void shouldAskOnceWhileNoneIsAborted() {
        append("a");
        abort(PRODUCER, 0, -1);
        for (int i = 2; i < 20; i++) {
            byte[] batch = append("value " + i);
            PartitionData partition = fetched(committed().partition(0, i, MB));
            assertThat(records(partition)).isEqualTo(batch);
            assertThat(listed(partition)).as("ended before").isEmpty();
        }
        assertThat(questions()).isEqualTo(1);
        assertThat(listed(fetched(committed().partition(0, 1, MB)))).containsExactly("77@0");
        assertThat(questions()).as("for what lies before the first question").isEqualTo(2);
    }

    @Test
    void shouldNotMissOneThatIsAbortedLater() {
        append("a");
        abort(PRODUCER, 0, -1);
        assertThat(listed(fetched(committed().partition(0, 0, MB)))).containsExactly("77@0");
        append("b");
        abort(78, 2, -1);
        assertThat(listed(fetched(committed().partition(0, 2, MB)))).containsExactly("78@2");
        assertThat(questions()).isEqualTo(2);
    }

    @Test
    void shouldNotAskAgainForOffsetsThatAreDecided() {
        byte[] first = append("a".repeat(500));
        abort(PRODUCER, 0, -1);
        append("b".repeat(500));
        assertThat(listed(fetched(committed().partition(0, 0, first.length)))).containsExactly("77@0");
        append("c");
        abort(78, 3, -1);
        assertThat(listed(fetched(committed().partition(0, 1, first.length)))).containsExactly("77@0");
        assertThat(listed(fetched(committed().partition(0, 2, first.length))))
                .as("ended before")
                .isEmpty();
        assertThat(questions()).as("all of that was decided").isEqualTo(1);
        assertThat(listed(fetched(committed().partition(0, 3, MB)))).containsExactly("78@3");
        assertThat(questions()).isEqualTo(2);
    }

    @Test
    void shouldListWhatBeginsBelowTheBrokersUpperBoundOnly() {
        byte[] first = append("a".repeat(500));
        byte[] second = append("b".repeat(500));
        abort(PRODUCER, 0, -1);
        abort(78, 1, first.length);
        PartitionData one = fetched(committed().partition(0, 0, first.length));
        assertThat(records(one)).isEqualTo(first);
        assertThat(listed(one)).containsExactly("77@0");
        PartitionData both = fetched(committed().partition(0, 0, first.length + second.length));
        assertThat(records(both)).isEqualTo(concat(first, second));
        assertThat(listed(both)).containsExactly("77@0", "78@1");
    }

    @Test
    void shouldAskAgainWhereTheBrokersUpperBoundMayHaveGrown() {
        byte[] first = append("a".repeat(500));
        byte[] second = append("b".repeat(500));
        abort(PRODUCER, 0, -1);
        peer.run(() -> log.abortedCompleteToBytes = first.length);
        assertThat(listed(fetched(committed().partition(0, 0, first.length)))).containsExactly("77@0");
        abort(78, 1, first.length + 1);
        assertThat(listed(fetched(committed().partition(0, 0, first.length)))).containsExactly("77@0");
        assertThat(questions()).as("ends before that").isEqualTo(1);
        assertThat(listed(fetched(committed().partition(0, 0, first.length + second.length))))
                .containsExactly("77@0", "78@1");
        assertThat(questions()).isEqualTo(2);
    }

    @Test
    void shouldServeAsFarAsTheListReaches() {
        byte[] first = append("a");
        byte[] second = append("b");
        abort(PRODUCER, 0, -1);
        peer.run(() -> {
            log.abortedWhole = false;
            log.abortedCompleteTo = 1;
        });
        PartitionData partition = fetched(committed().partition(0, 0, MB));
        assertThat(records(partition)).isEqualTo(first);
        assertThat(listed(partition)).containsExactly("77@0");
        peer.run(() -> log.abortedCompleteTo = 2);
        assertThat(records(fetched(committed().partition(0, 1, MB)))).isEqualTo(second);
        assertThat(questions()).isEqualTo(2);
    }

    @Test
    void shouldLeaveTooManyAtOneOffsetToTheBroker() {
        append("a");
        abort(PRODUCER, 0, -1);
        peer.run(() -> {
            log.abortedWhole = false;
            log.abortedCompleteTo = 0;
        });
        assertFallsBack(committed().partition(0, 0, MB));
    }

    @Test
    void shouldAnswerWithMoreThanThereIsRoomForInFrontOfTheRecords() {
        byte[] data = append("a");
        peer.run(() -> {
            for (int i = 0; i < 1000; i++) {
                log.abort(i, 0, 0, -1);
            }
            peer.publish(log);
        });
        PartitionData partition = fetched(committed().partition(0, 0, MB));
        assertThat(partition.abortedTransactions()).hasSize(1000);
        assertThat(records(partition)).isEqualTo(data);
    }

    @Test
    void shouldLeaveToTheBrokerWhatThePluginRefuses() {
        append("a");
        abort(PRODUCER, 0, -1);
        peer.run(() -> peer.refusals.put(ControlApi.LIST_ABORTED, ControlError.UNKNOWN_HANDLE));
        assertFallsBack(committed().partition(0, 0, MB));
        assertThat(records(fetched(fetch().partition(0, 0, MB)))).isNotEmpty();
    }

    @Test
    void shouldNotWaitForAnAnswerForEver() throws IOException {
        stop();
        fixture = new FastPathFixture(provider(), 10_000, 10_000, 300);
        peer = fixture.peer();
        client = fixture.client(peer);
        log = peer.on(() -> peer.log("cars", 0));
        append("a");
        abort(PRODUCER, 0, -1);
        peer.run(() -> peer.ignored.add(ControlApi.LIST_ABORTED));
        assertFallsBack(committed().partition(0, 0, MB));
    }

    @Test
    void shouldLetTheClientLeaveWhileItAsks() {
        append("a");
        abort(PRODUCER, 0, -1);
        peer.run(() -> peer.ignored.add(ControlApi.LIST_ABORTED));
        TestClient.Request asking =
                client.submit(committed().partition(0, 0, MB).bytes());
        await().atMost(SOON).until(() -> questions() == 1);
        asking.cancelled = true;
        client.close();
        await().atMost(SOON)
                .until(() -> peer.on(() ->
                        !peer.closedSessions.isEmpty() && peer.link().segments.isEmpty()));
        asking.frame().release();
    }

    @Test
    void shouldForgetWhatItKnewOfAnotherGeneration() {
        append("a");
        abort(PRODUCER, 0, -1);
        assertThat(listed(fetched(committed().partition(0, 0, MB)))).containsExactly("77@0");
        peer.run(() -> {
            log.generation++;
            log.aborted.clear();
            peer.publish(log);
        });
        assertThat(listed(fetched(committed().partition(0, 0, MB)))).isEmpty();
        assertThat(questions()).isEqualTo(2);
    }

    private void assertFallsBack(FetchFrames frames) {
        assertThat(client.submit(frames.bytes()).await().kind()).isEqualTo("fallBack:ABORTED_TRANSACTIONS");
    }
}
