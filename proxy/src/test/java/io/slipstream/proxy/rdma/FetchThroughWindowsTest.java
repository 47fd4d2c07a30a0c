// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

import static io.slipstream.proxy.fetch.FetchFrames.fetch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.link.meter.Meter;
import io.slipstream.proxy.fetch.FetchAnswers;
import io.slipstream.proxy.fetch.FetchFrames;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reads with only windows of segments registered, as with devices that pin memory. */
class FetchThroughWindowsTest extends FetchScene {
    @Override
    String provider() {
        return FastPathFixture.REGISTERED_MEMORY;
    }

    @BeforeEach
    void registerWindowsOnly() {
        peer.run(() -> peer.windowBytes = PluginPeer.PAGE);
    }

    private static FetchResponseData response(TestClient.Request request) {
        TestClient.Answer answer = request.await();
        assertThat(answer.kind()).isEqualTo("respond");
        return FetchAnswers.parse(answer.response());
    }

    private PartitionData fetched(TestClient by, FetchFrames frames) {
        return FetchAnswers.only(response(by.submit(frames.bytes())));
    }

    /** Reads until the position is {@code end}; fails on an empty answer. */
    private byte[] readTo(TestClient by, long from, long end, int maxBytes) {
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        long next = from;
        while (next < end) {
            PartitionData partition = fetched(by, fetch().partition(0, next, maxBytes));
            byte[] records = FetchAnswers.records(partition);
            assertThat(records).as("records from offset %d", next).isNotEmpty();
            read.writeBytes(records);
            for (var batch : ((MemoryRecords) partition.records()).batches()) {
                assertThat(batch.baseOffset()).isEqualTo(next);
                next = batch.lastOffset() + 1;
            }
        }
        return read.toByteArray();
    }

    @Test
    void shouldReadUpToTheWindowsEndAndLocateTheBatchThatStraddlesIt() {
        byte[] first = append(log, "a".repeat(2500));
        byte[] second = append(log, "b".repeat(2500));
        byte[] third = append(log, "c".repeat(2500));
        assertThat(FetchAnswers.records(fetched(client, fetch().partition(0, 0, MB))))
                .as("whole batches before the end")
                .isEqualTo(first);
        assertThat(locates()).isEqualTo(1);
        assertThat(FetchAnswers.records(fetched(client, fetch().partition(0, 1, MB))))
                .as("the window from the second batch's page holds it whole")
                .isEqualTo(second);
        assertThat(locates()).isEqualTo(2);
        assertThat(FetchAnswers.records(fetched(client, fetch().partition(0, 2, MB))))
                .isEqualTo(third);
        assertThat(locates()).isEqualTo(3);
        await("windows behind the reader are given back")
                .atMost(SOON)
                .until(() -> peer.on(() -> peer.link().segments.size() == 1));
    }

    /** A broker returns data of each partition that has some, if limits allow. */
    @Test
    void shouldLocateTheBatchThatStraddlesAWindowsEndBesideOthers() {
        PeerLog second = peer.on(() -> peer.log("cars", 1));
        append(second, "a");
        fetched(client, fetch().partition(1, 0, MB));
        byte[] large = append(second, "b".repeat(PluginPeer.PAGE));
        byte[] other = append(log, "c");

        List<PartitionData> partitions = response(client.submit(
                        fetch().partition(0, 0, MB).partition(1, 1, MB).bytes()))
                .responses()
                .get(0)
                .partitions();

        assertThat(FetchAnswers.records(partitions.get(0))).isEqualTo(other);
        assertThat(FetchAnswers.records(partitions.get(1))).isEqualTo(large);
    }

    @Test
    void shouldServeABatchLargerThanAWindow() {
        byte[] small = append(log, "a");
        byte[] large = append(log, "b".repeat(3 * PluginPeer.PAGE));
        byte[] after = append(log, "c");
        assertThat(readTo(client, 0, 3, MB)).isEqualTo(FetchAnswers.concat(small, large, after));
        TestClient other = fixture.client(peer);
        assertThat(readTo(other, 0, 3, 10))
                .as("limited to a batch at a time")
                .isEqualTo(FetchAnswers.concat(small, large, after));
        other.close();
    }

    @Test
    void shouldNotWaitForMoreBytesAtAWindowsEnd() {
        append(log, "a".repeat(2500));
        append(log, "b".repeat(2500));
        long start = System.nanoTime();
        PartitionData partition = fetched(
                client,
                fetch().with(d -> d.setMaxWaitMs(30_000).setMinBytes(4000)).partition(0, 0, MB));
        assertThat(FetchAnswers.records(partition)).isNotEmpty();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(SOON);
    }

    @Test
    void shouldFollowAGrowingSegmentThroughWindowsOfManySizes() {
        long seed = Long.getLong("slipstream.seed", System.nanoTime());
        Random random = new Random(seed);
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        List<TestClient> sessions = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            sessions.add(fixture.client(peer));
        }
        long next = 0;
        for (int round = 0; round < 150; round++) {
            peer.run(() -> {
                peer.windowBytes = PluginPeer.PAGE * (1 + random.nextInt(4));
                if (random.nextInt(10) == 0) {
                    log.roll();
                    peer.publish(log);
                }
            });
            for (int i = random.nextInt(4); i >= 0; i--) {
                written.writeBytes(append(log, "v".repeat(random.nextInt(i == 0 ? 9000 : 300))));
            }
            long end = peer.on(() -> log.endOffset);
            byte[] tail = readTo(client, next, end, 1 + random.nextInt(20_000));
            read.writeBytes(tail);
            TestClient session = sessions.get(random.nextInt(sessions.size()));
            assertThat(readTo(session, next, end, MB))
                    .as("seed %d, another session", seed)
                    .isEqualTo(tail);
            next = end;
        }
        assertThat(read.toByteArray()).as("seed %d", seed).isEqualTo(written.toByteArray());
        sessions.forEach(TestClient::close);
        await("one window at most stays granted")
                .atMost(SOON)
                .until(() -> peer.on(() -> peer.link().segments.size() <= 1));
    }

    @Test
    void shouldWakeATailConsumerBeyondTheWindowItKnows() {
        byte[] first = append(log, "a".repeat(100));
        assertThat(readTo(client, 0, 1, MB)).isEqualTo(first);
        for (long offset = 1; offset < 60; offset++) {
            TestClient.Request waiting = client.submit(fetch().with(d -> d.setMaxWaitMs(30_000))
                    .partition(0, offset, MB)
                    .bytes());
            await().pollInterval(Duration.ofMillis(1))
                    .atMost(SOON)
                    .until(() -> fixture.meters.value(Meter.FETCH_WAITS) == 1);
            byte[] batch = append(log, "b".repeat(200));
            assertThat(FetchAnswers.records(FetchAnswers.only(response(waiting))))
                    .isEqualTo(batch);
        }
        assertThat(locates()).as("one for each page, not for each record").isLessThan(20);
    }

    @Test
    void shouldReadWhatComesIntoASegmentThatHadNoBytesYet() {
        TestClient.Request waiting = client.submit(
                fetch().with(d -> d.setMaxWaitMs(30_000)).partition(0, 0, MB).bytes());
        await().atMost(SOON).until(() -> fixture.meters.value(Meter.FETCH_WAITS) == 1);
        byte[] batch = append(log, "a");
        assertThat(FetchAnswers.records(FetchAnswers.only(response(waiting)))).isEqualTo(batch);
        assertThat(peer.on(() -> peer.link().releasedSegments))
                .as("there was nothing to give back")
                .doesNotContain(0);
    }

    @Test
    void shouldServeSomePartitionsAndLocateTheOthersNext() {
        PeerLog second = peer.on(() -> peer.log("cars", 1));
        byte[] a = append(log, "a");
        append(second, "b".repeat(2500));
        byte[] straddling = append(second, "c".repeat(2500));
        assertThat(FetchAnswers.records(fetched(client, fetch().partition(1, 0, MB))))
                .hasSizeLessThan(PluginPeer.PAGE);
        var both = response(client.submit(
                        fetch().partition(0, 0, MB).partition(1, 1, MB).bytes()))
                .responses()
                .get(0)
                .partitions();
        assertThat(FetchAnswers.records(both.get(0))).isEqualTo(a);
        assertThat(FetchAnswers.records(both.get(1))).isEqualTo(straddling);
    }

    @Test
    void shouldNotLocateForEverWhenNoWindowHoldsTheBatch() {
        peer.run(() -> peer.windowsTooShort = true);
        append(log, "a".repeat(500));
        assertThat(client.submit(fetch().partition(0, 0, MB).bytes()).await().kind())
                .isEqualTo("fallBack:NOT_READABLE");
        assertThat(locates()).isLessThanOrEqualTo(5);
        peer.run(() -> peer.windowsTooShort = false);
        await("it is tried again after a pause")
                .atMost(SOON)
                .until(() -> client.submit(fetch().partition(0, 0, MB).bytes())
                        .await()
                        .kind()
                        .equals("respond"));
    }
}
