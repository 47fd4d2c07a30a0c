// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

import static io.slipstream.proxy.fetch.FetchAnswers.concat;
import static io.slipstream.proxy.fetch.FetchAnswers.only;
import static io.slipstream.proxy.fetch.FetchAnswers.records;
import static io.slipstream.proxy.fetch.FetchFrames.fetch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.metrics.Meter;
import io.slipstream.protocol.control.ControlApi;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.slot.SlotLayout;
import io.slipstream.proxy.fetch.FetchAnswers;
import io.slipstream.proxy.fetch.FetchFrames;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Fetches of one client connection, from request to answer, against a plugin's end on real shared memory. Longer than
 * most because each phase of {@code FetchPath} is driven into its ends with the same peer and the same reader of
 * answers.
 */
@Timeout(60)
class FetchByRdmaTest {
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final int MB = 1 << 20;

    private FastPathFixture fixture;
    private PluginPeer peer;
    private TestClient client;
    private PeerLog log;

    /** The provider; the tests must pass with each. */
    String provider() {
        return FastPathFixture.ANY_MEMORY;
    }

    @BeforeEach
    void start() throws IOException {
        fixture = new FastPathFixture(provider());
        peer = fixture.peer();
        client = fixture.client(peer);
        log = peer.on(() -> peer.log("cars", 0));
    }

    @AfterEach
    void stop() throws IOException {
        peer.run(() -> peer.links.values().forEach(PeerLink::check));
        client.close();
        await().atMost(SOON).until(() -> fixture.meters.value(Meter.GRANTS) == 0);
        assertThat(fixture.meters.value(Meter.FETCH_WAITS)).isZero();
        assertThat(fixture.meters.value(Meter.PREFETCHED_BYTES)).isZero();
        fixture.close();
        peer.close();
    }

    private byte[] append(String... values) {
        return append(log, values);
    }

    /** Appends one batch, commits and publishes it. */
    private byte[] append(PeerLog to, String... values) {
        return peer.on(() -> {
            byte[] batch = to.append(values);
            to.commit();
            peer.publish(to);
            return batch;
        });
    }

    private static FetchResponseData parse(TestClient.Answer answer, int version) {
        assertThat(answer.kind()).isEqualTo("respond");
        return FetchAnswers.parse(answer.response(), (short) version);
    }

    private PartitionData fetched(FetchFrames frames) {
        return only(parse(client.submit(frames.bytes()).await(), 17));
    }

    private int locates() {
        return peer.on(() -> (int) peer.requests.stream()
                .filter(ControlRequest.Locate.class::isInstance)
                .count());
    }

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
        TestClient.Request request = client.submit(
                fetch().with(d -> d.setSessionId(opened.sessionId()).setSessionEpoch(1))
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
                .containsExactly(0L, 5L);

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
    void shouldReadAheadForAClientThatReadsOn() {
        List<byte[]> batches = batches(8);
        for (int i = 0; i < 8; i++) {
            assertThat(records(fetched(fetch().partition(0, i, 600)))).isEqualTo(batches.get(i));
            // The rest at the end is smaller than an answer.
            long ahead = i < 6 ? batches.get(0).length : 0;
            await().atMost(SOON).until(() -> fixture.meters.value(Meter.PREFETCHED_BYTES) >= ahead);
        }
        assertThat(fixture.meters.value(Meter.PREFETCHED_BYTES)).isZero();
    }

    private List<byte[]> batches(int count) {
        List<byte[]> batches = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            // All different, and each so long that an answer of 600 bytes contains one of them.
            batches.add(append(("" + i).repeat(500)));
        }
        return batches;
    }

    private void awaitReadAhead() {
        await().atMost(SOON).until(() -> fixture.meters.value(Meter.PREFETCHED_BYTES) > 0);
    }

    @Test
    void shouldForgetWhatWasReadAheadOfASeek() {
        List<byte[]> batches = batches(8);
        fetched(fetch().partition(0, 0, 600));
        awaitReadAhead();
        assertThat(records(fetched(fetch().partition(0, 5, 600)))).isEqualTo(batches.get(5));
        assertThat(records(fetched(fetch().partition(0, 7, 600)))).isEqualTo(batches.get(7));
        assertThat(fixture.meters.value(Meter.PREFETCHED_BYTES)).isZero();
    }

    @Test
    void shouldReadAgainWhatWasReadAheadUnderAGrantThatIsOver() {
        byte[] before = batches(8).get(1).clone();
        fetched(fetch().partition(0, 0, 600));
        awaitReadAhead();
        peer.run(() -> {
            log.overwrite(1, (byte) 'x');
            log.generation++;
            peer.publish(log);
        });
        assertThat(records(fetched(fetch().partition(0, 1, 600))))
                .isNotEqualTo(before)
                .isEqualTo(peer.on(() -> log.batchAt(1).bytes()));
    }

    @Test
    void shouldGiveBackWhatNobodyComesFor() {
        batches(4);
        fetched(fetch().partition(0, 0, 600));
        awaitReadAhead();
        await().atMost(SOON).until(() -> fixture.meters.value(Meter.PREFETCHED_BYTES) == 0);
    }

    @Test
    void shouldServeMoreThanWasReadAhead() {
        List<byte[]> batches = batches(6);
        fetched(fetch().partition(0, 0, 600));
        awaitReadAhead();
        assertThat(records(fetched(fetch().partition(0, 1, 1200)))).isEqualTo(concat(batches.get(1), batches.get(2)));
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
