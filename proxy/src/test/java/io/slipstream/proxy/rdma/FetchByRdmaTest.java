// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

import static io.slipstream.proxy.fetch.FetchAnswers.concat;
import static io.slipstream.proxy.fetch.FetchAnswers.only;
import static io.slipstream.proxy.fetch.FetchAnswers.records;
import static io.slipstream.proxy.fetch.FetchFrames.fetch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.link.meter.Meter;
import io.slipstream.protocol.control.ControlApi;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.slot.SlotLayout;
import io.slipstream.proxy.fetch.FetchFrames;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Fetches of one client connection, from request to answer. Longer than most because each phase of {@code FetchPath} is
 * driven into its ends with the same peer and the same reader of answers.
 */
class FetchByRdmaTest extends FetchScene {
    @ParameterizedTest
    @ValueSource(ints = {4, 7, 11, 12, 13, 17, 18})
    void shouldAnswerEveryVersionWithTheLogsBytes(int version) {
        byte[] batch = append("a", "b");
        FetchFrames frames = fetch().version(version).correlationId(77).partition(0, 0, MB);
        TestClient.Answer answer = client.submit(frames.bytes()).await();
        FetchResponseData response = parse(answer, version);
        assertThat(ByteBuffer.wrap(answer.response()).getInt()).isEqualTo(77);
        assertThat(response.sessionId()).isZero();
        PartitionData partition = only(response);
        assertThat(records(partition)).isEqualTo(batch);
        assertThat(partition.errorCode()).isEqualTo(Errors.NONE.code());
        assertThat(partition.highWatermark()).isEqualTo(2);
        assertThat(partition.lastStableOffset()).isEqualTo(2);
        assertThat(partition.logStartOffset()).isEqualTo(version >= 5 ? 0 : -1);
        assertThat(partition.preferredReadReplica()).isEqualTo(-1);
        assertThat(partition.abortedTransactions()).isNull();
        if (version >= 13) {
            assertThat(response.responses().get(0).topicId()).isEqualTo(FetchFrames.TOPIC_ID);
        } else {
            assertThat(response.responses().get(0).topic()).isEqualTo(FetchFrames.TOPIC);
        }
    }

    @Test
    void shouldReadOnFromTheCursorWithoutAskingAgain() {
        byte[] first = append("a");
        assertThat(records(fetched(fetch().partition(0, 0, MB)))).isEqualTo(first);
        for (int i = 1; i <= 20; i++) {
            byte[] next = append("value " + i);
            PartitionData partition = fetched(
                    fetch().partition(0, i, MB, p -> p.setLastFetchedEpoch(4).setCurrentLeaderEpoch(4)));
            assertThat(records(partition)).isEqualTo(next);
        }
        assertThat(locates()).isEqualTo(1);
    }

    @Test
    void shouldSleepUntilTheDoorbellRings() {
        append("a");
        fetched(fetch().partition(0, 0, MB));
        TestClient.Request waiting = client.submit(
                fetch().with(d -> d.setMaxWaitMs(30_000)).partition(0, 1, MB).bytes());
        await().atMost(SOON).until(() -> fixture.meters.value(Meter.FETCH_WAITS) == 1);
        long reads = fixture.meters.value(Meter.TRANSPORT_OPERATIONS, "read");
        assertThat(peer.on(() -> peer.link().isArmed(log.slot))).isTrue();
        assertThat(peer.on(() -> PeerLink.wordAt(peer.link().armTable, log.slot * Long.BYTES)))
                .isEqualTo("0100000000000000");
        byte[] batch = append("b");
        assertThat(records(only(parse(waiting.await(), 17)))).isEqualTo(batch);
        assertThat(fixture.meters.value(Meter.TRANSPORT_OPERATIONS, "read") - reads)
                .as("nothing but leases, the slots and the batch was read")
                .isLessThan(12);
    }

    @Test
    void shouldAnswerThoseThatWaitWhenTheProxyIsAboutToStop() {
        append("a");
        fetched(fetch().partition(0, 0, MB));
        byte[] patient =
                fetch().with(d -> d.setMaxWaitMs(600_000)).partition(0, 1, MB).bytes();
        TestClient.Request waiting = client.submit(patient);
        await().atMost(SOON).until(() -> fixture.meters.value(Meter.FETCH_WAITS) == 1);
        client.on(() -> {
            client.fastPath.stopWaiting();
            return null;
        });
        assertThat(records(only(parse(waiting.await(), 17)))).isEmpty();
        assertThat(records(only(parse(client.submit(patient).await(), 17))))
                .as("whoever comes later does not wait either")
                .isEmpty();
        byte[] batch = append("b");
        assertThat(records(only(parse(client.submit(patient).await(), 17)))).isEqualTo(batch);
    }

    @Test
    void shouldAnswerEmptyWhenTheMaximalWaitIsOver() {
        append("a");
        long start = System.nanoTime();
        PartitionData partition = fetched(fetch().with(d -> d.setMaxWaitMs(150)).partition(0, 1, MB));
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(150));
        assertThat(records(partition)).isEmpty();
        assertThat(partition.highWatermark()).isEqualTo(1);
    }

    @Test
    void shouldGatherMinBytesAndAnswerWithWhatIsThereAtTheEnd() {
        byte[] first = append("a");
        TestClient.Request waiting =
                client.submit(fetch().with(d -> d.setMaxWaitMs(30_000).setMinBytes(first.length * 3))
                        .partition(0, 0, MB)
                        .bytes());
        await().atMost(SOON).until(() -> fixture.meters.value(Meter.FETCH_WAITS) == 1);
        byte[] second = append("b");
        byte[] third = append("c");
        assertThat(records(only(parse(waiting.await(), 17)))).isEqualTo(concat(first, second, third));
        byte[] fourth = append("d");
        PartitionData late = fetched(
                fetch().with(d -> d.setMaxWaitMs(100).setMinBytes(100_000)).partition(0, 3, MB));
        assertThat(records(late)).isEqualTo(fourth);
    }

    @Test
    void shouldServeWholeBatchesWithinLimitsAndOneAboveThem() {
        byte[] first = append("a".repeat(500));
        byte[] second = append("b".repeat(500));
        assertThat(records(fetched(fetch().partition(0, 0, 10)))).isEqualTo(first);
        assertThat(records(fetched(fetch().partition(0, 0, first.length + second.length - 1))))
                .isEqualTo(first);
        assertThat(records(fetched(fetch().with(d -> d.setMaxBytes(1)).partition(0, 1, MB))))
                .isEqualTo(second);
    }

    @Test
    void shouldCapByTheBrokersFetchMaxBytes() {
        peer.run(() -> peer.fetchMaxBytes = 700);
        byte[] first = append("a".repeat(500));
        append("b".repeat(500));
        assertThat(records(fetched(fetch().partition(0, 0, MB)))).isEqualTo(first);
    }

    @Test
    void shouldAnswerSeveralPartitionsAtOnce() {
        PeerLog second = peer.on(() -> peer.log("cars", 1));
        PeerLog empty = peer.on(() -> peer.log("cars", 2));
        byte[] a = concat(append("a"), append("aa"));
        byte[] b = append(second, "b");
        append(empty, "c");
        FetchResponseData response = parse(
                client.submit(fetch().partition(0, 0, MB)
                                .partition(1, 0, MB)
                                .partition(2, 1, MB)
                                .bytes())
                        .await(),
                17);
        var partitions = response.responses().get(0).partitions();
        assertThat(partitions).extracting(PartitionData::partitionIndex).containsExactly(0, 1, 2);
        assertThat(records(partitions.get(0))).isEqualTo(a);
        assertThat(records(partitions.get(1))).isEqualTo(b);
        assertThat(records(partitions.get(2))).isEmpty();
        assertThat(locates()).isEqualTo(3);
    }

    @Test
    void shouldFollowTheLogAcrossSegmentsAndGiveThemBack() {
        long seed = Long.getLong("slipstream.seed", System.nanoTime());
        Random random = new Random(seed);
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        long next = 0;
        for (int round = 0; round < 60; round++) {
            for (int i = random.nextInt(4); i >= 0; i--) {
                if (random.nextInt(5) == 0) {
                    peer.run(() -> {
                        log.roll();
                        peer.publish(log);
                    });
                }
                written.writeBytes(append("v".repeat(random.nextInt(900))));
            }
            long offset = next;
            PartitionData partition = fetched(fetch().partition(0, offset, 200 + random.nextInt(3000)));
            for (var batch : ((MemoryRecords) partition.records()).batches()) {
                assertThat(batch.baseOffset()).as("seed %d", seed).isEqualTo(next);
                next = batch.lastOffset() + 1;
            }
            read.writeBytes(records(partition));
        }
        long end = peer.on(() -> log.endOffset);
        while (next < end) {
            long offset = next;
            PartitionData partition = fetched(fetch().partition(0, offset, MB));
            for (var batch : ((MemoryRecords) partition.records()).batches()) {
                next = batch.lastOffset() + 1;
            }
            read.writeBytes(records(partition));
        }
        assertThat(read.toByteArray()).as("seed %d", seed).isEqualTo(written.toByteArray());
        await("only the segment that is read stays granted")
                .atMost(SOON)
                .until(() -> peer.on(() -> peer.link().segments.size() == 1));
    }

    @Test
    void shouldLeaveReplicasAndRacksToTheBroker() {
        peer.run(() -> peer.replicaSelector = true);
        append("a");
        assertThat(client.submit(fetch().with(d -> d.setRackId("r1"))
                                .partition(0, 0, MB)
                                .bytes())
                        .await()
                        .kind())
                .isEqualTo("fallBack:REPLICA");
        assertThat(client.submit(fetch().version(12)
                                .with(d -> d.setReplicaId(2))
                                .partition(0, 0, MB)
                                .bytes())
                        .await()
                        .kind())
                .isEqualTo("fallBack:REPLICA");
        assertThat(records(fetched(fetch().partition(0, 0, MB)))).isNotEmpty();
    }

    @Test
    void shouldServeCommittedOnlyBelowTheLastStableOffset() {
        byte[] stable = append("a");
        peer.run(() -> log.lastStableOffset = 1);
        append("open transaction");
        FetchFrames committed = fetch().with(d -> d.setIsolationLevel((byte) 1)).partition(0, 0, MB);
        PartitionData partition = fetched(committed);
        assertThat(records(partition)).isEqualTo(stable);
        assertThat(partition.lastStableOffset()).isEqualTo(1);
        assertThat(partition.highWatermark()).isEqualTo(2);
        assertThat(partition.abortedTransactions()).isEmpty();
        TestClient.Request waiting = client.submit(fetch().with(
                        d -> d.setIsolationLevel((byte) 1).setMaxWaitMs(30_000).setMinBytes(2 * stable.length))
                .partition(0, 0, MB)
                .bytes());
        await().atMost(SOON).until(() -> fixture.meters.value(Meter.FETCH_WAITS) == 1);
        peer.run(() -> {
            log.lastStableOffset = 2;
            peer.publish(log);
        });
        assertThat(records(only(parse(waiting.await(), 17)))).startsWith(stable).hasSizeGreaterThan(stable.length);
    }

    @Test
    void shouldWakeAndFallBackWhenTheSlotIsRevoked() {
        append("a");
        TestClient.Request waiting = client.submit(
                fetch().with(d -> d.setMaxWaitMs(30_000)).partition(0, 1, MB).bytes());
        await().atMost(SOON).until(() -> fixture.meters.value(Meter.FETCH_WAITS) == 1);
        peer.run(() -> {
            log.flags = SlotLayout.FLAG_REVOKED;
            peer.publish(log);
        });
        assertThat(waiting.await().kind()).isEqualTo("fallBack:NOT_READABLE");
        assertThat(fixture.meters.value(Meter.GRANTS_GRANTED, "read")).isEqualTo(1);
        assertThat(fixture.meters.value(Meter.GRANTS_REVOKED, "read")).isEqualTo(1);
        assertThat(fixture.meters.value(Meter.GRANTS_REFUSED, "read", "not_readable"))
                .isEqualTo(1);
    }

    @Test
    void shouldLocateAnewAfterTheGenerationChanged() {
        byte[] batch = append("a");
        fetched(fetch().partition(0, 0, MB));
        peer.run(() -> {
            log.generation++;
            peer.publish(log);
        });
        byte[] next = append("b");
        assertThat(records(fetched(fetch().partition(0, 1, MB))))
                .isEqualTo(next)
                .isNotEqualTo(batch);
        assertThat(locates()).isEqualTo(2);
    }

    @Test
    void shouldNotBelieveSlotsOfABrokerWhoseHeartStandsStill() {
        append("a");
        fetched(fetch().partition(0, 0, MB));
        TestClient.Request waiting = client.submit(
                fetch().with(d -> d.setMaxWaitMs(30_000)).partition(0, 1, MB).bytes());
        await().atMost(SOON).until(() -> fixture.meters.value(Meter.FETCH_WAITS) == 1);
        peer.run(() -> peer.link().beating = false);
        assertThat(waiting.await().kind()).isEqualTo("fallBack:STALE_SLOTS");
        assertThat(fixture.meters.value(Meter.GRANTS_EXPIRED)).isEqualTo(1);
        peer.run(() -> peer.link().beating = true);
        byte[] next = append("b");
        await().atMost(SOON).until(() -> {
            TestClient.Answer answer =
                    client.submit(fetch().partition(0, 1, MB).bytes()).await();
            return answer.kind().equals("respond") && java.util.Arrays.equals(records(only(parse(answer, 17))), next);
        });
    }

    @Test
    void shouldFallBackFromEveryPhaseWhenTheLinkIsLost() {
        append("a");
        TestClient.Request parked = client.submit(
                fetch().with(d -> d.setMaxWaitMs(30_000)).partition(0, 1, MB).bytes());
        await().atMost(SOON).until(() -> fixture.meters.value(Meter.FETCH_WAITS) == 1);
        peer.run(peer::closeControlConnections);
        assertThat(parked.await().kind()).isEqualTo("fallBack:LINK_DOWN");
        await().atMost(SOON).until(() -> {
            TestClient.Answer answer =
                    client.submit(fetch().partition(0, 0, MB).bytes()).await();
            return answer.kind().equals("respond");
        });
    }

    @Test
    void shouldNotWaitForAnAnswerToLocateForEver() throws IOException {
        stop();
        fixture = new FastPathFixture(provider(), 10_000, 10_000, 300);
        peer = fixture.peer();
        client = fixture.client(peer);
        log = peer.on(() -> peer.log("cars", 0));
        append("a");
        peer.run(() -> peer.ignored.add(ControlApi.LOCATE));
        assertThat(client.submit(fetch().partition(0, 0, MB).bytes()).await().kind())
                .isEqualTo("fallBack:NOT_READABLE");
    }

    @Test
    void shouldBindAnewWhenThePluginForgotTheSession() {
        append("a");
        peer.run(() -> peer.refusals.put(ControlApi.LOCATE, ControlError.UNKNOWN_HANDLE));
        assertThat(client.submit(fetch().partition(0, 0, MB).bytes()).await().kind())
                .isEqualTo("fallBack:SESSION_NOT_BOUND");
        await().atMost(SOON).until(() -> fixture.meters.value(Meter.SESSIONS_BOUND) == 0);
        peer.run(peer.refusals::clear);
        await().atMost(SOON)
                .until(() -> client.submit(fetch().partition(0, 0, MB).bytes())
                        .await()
                        .kind()
                        .equals("respond"));
        assertThat(peer.on(() -> peer.link().sessions)).hasSize(2);
    }

    @Test
    void shouldGiveBackWhatAClientHeldWhenItLeavesInTheMiddleOfAWait() {
        append("a");
        TestClient.Request parked = client.submit(
                fetch().with(d -> d.setMaxWaitMs(30_000)).partition(0, 1, MB).bytes());
        await().atMost(SOON).until(() -> fixture.meters.value(Meter.FETCH_WAITS) == 1);
        parked.cancelled = true;
        client.close();
        await().atMost(SOON)
                .until(() -> peer.on(() ->
                        !peer.closedSessions.isEmpty() && peer.link().segments.isEmpty()));
        parked.frame().release();
    }

    @Test
    void shouldWakeMoreSleepersThanTheLinkTakesReadsAtOnce() {
        int sleepers = 700;
        append("a");
        List<TestClient> clients = new ArrayList<>();
        List<TestClient.Request> requests = new ArrayList<>();
        for (int i = 0; i < sleepers; i++) {
            clients.add(fixture.client(peer));
            requests.add(clients.get(i)
                    .submit(fetch().with(d -> d.setMaxWaitMs(60_000))
                            .partition(0, 1, MB)
                            .bytes()));
        }
        await().atMost(Duration.ofSeconds(30)).until(() -> fixture.meters.value(Meter.FETCH_WAITS) == sleepers);
        byte[] batch = append("b");
        for (TestClient.Request request : requests) {
            assertThat(records(only(parse(request.await(), 17)))).isEqualTo(batch);
        }
        clients.forEach(TestClient::close);
    }
}
