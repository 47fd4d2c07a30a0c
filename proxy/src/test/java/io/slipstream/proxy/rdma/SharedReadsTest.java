// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

import static io.slipstream.proxy.fetch.FetchAnswers.concat;
import static io.slipstream.proxy.fetch.FetchAnswers.only;
import static io.slipstream.proxy.fetch.FetchAnswers.records;
import static io.slipstream.proxy.fetch.FetchFrames.fetch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.slipstream.link.meter.Meter;
import io.slipstream.proxy.fetch.FetchAnswers;
import io.slipstream.proxy.spi.PendingRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several client connections of one event loop that read the same partition, with the restrictions of a device. */
@Timeout(60)
class SharedReadsTest {
    private static final Duration SOON = Duration.ofSeconds(10);
    /**
     * Number of values, so that a batch is long enough to be shared, and an answer of {@link #ONE} bytes contains one.
     */
    private static final int VALUE = 20_000;

    private static final int ONE = VALUE + 100;
    private static final int MAX = 1 << 20;

    private FastPathFixture fixture;
    private PluginPeer peer;
    private PeerLog log;
    private final List<TestClient> clients = new ArrayList<>();

    @BeforeEach
    void start() throws IOException {
        fixture = new FastPathFixture(FastPathFixture.REGISTERED_MEMORY);
        peer = fixture.peer();
        log = peer.on(() -> peer.log("cars", 0));
    }

    @AfterEach
    void stop() throws IOException {
        SlowReads.withheldAboveBytes = Integer.MAX_VALUE;
        peer.run(() -> peer.links.values().forEach(PeerLink::check));
        clients.forEach(TestClient::close);
        await().atMost(SOON).until(() -> fixture.meters.value(Meter.GRANTS) == 0);
        await("with the last cursor, not by time")
                .atMost(Duration.ofMillis(400))
                .until(() -> fixture.meters.value(Meter.PREFETCHED_BYTES) == 0);
        assertThat(fixture.meters.value(Meter.FETCH_WAITS)).isZero();
        fixture.close();
        peer.close();
    }

    private TestClient client() {
        TestClient client = fixture.client(peer);
        clients.add(client);
        return client;
    }

    private byte[] append(String value) {
        return peer.on(() -> {
            byte[] batch = log.append(value);
            log.commit();
            peer.publish(log);
            return batch;
        });
    }

    private List<byte[]> batches(int count) {
        List<byte[]> batches = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            batches.add(append(String.valueOf((char) ('a' + i)).repeat(VALUE)));
        }
        return batches;
    }

    private static byte[] ask(long offset, int maxBytes) {
        return fetch().partition(0, offset, maxBytes).bytes();
    }

    private static PartitionData answer(TestClient.Request request) {
        TestClient.Answer answer = request.await();
        assertThat(answer.kind()).isEqualTo("respond");
        return only(FetchAnswers.parse(answer.response()));
    }

    private static byte[] read(TestClient by, long offset, int maxBytes) {
        return records(answer(by.submit(ask(offset, maxBytes))));
    }

    private long sharedBytes() {
        return fixture.meters.value(Meter.SHARED_READ_BYTES);
    }

    private long bytesRead() {
        return fixture.meters.value(Meter.TRANSPORT_BYTES, "read");
    }

    /** Each has a cursor at the beginning of the segment. */
    private void locate(TestClient... all) {
        for (TestClient client : all) {
            assertThat(read(client, 0, 1)).isNotEmpty();
        }
    }

    @Test
    void shouldReadOnceWhatFourClientsReadTogether() {
        List<byte[]> batches = batches(12);
        TestClient[] four = {client(), client(), client(), client()};
        locate(four);
        long before = bytesRead();
        long sharedBefore = sharedBytes();
        for (int i = 1; i < 12; i++) {
            List<TestClient.Request> requests = new ArrayList<>();
            for (TestClient client : four) {
                requests.add(client.submit(ask(i, ONE)));
            }
            for (TestClient.Request request : requests) {
                assertThat(records(answer(request))).isEqualTo(batches.get(i));
            }
        }
        long served = 4L * 11 * batches.get(0).length;
        // A quarter is read; requests of a slow machine after half a second read again.
        assertThat(sharedBytes() - sharedBefore).isBetween(served / 2, served / 4 * 3);
        assertThat(bytesRead() - before).as("bytes read").isBetween(served / 4, served / 2 + 100_000);
    }

    @Test
    void shouldShareNothingOfASingleClient() {
        List<byte[]> batches = batches(8);
        TestClient client = client();
        for (int i = 0; i < 8; i++) {
            assertThat(read(client, i, ONE)).isEqualTo(batches.get(i));
        }
        assertThat(sharedBytes()).isZero();
    }

    /** An answer that is not yet taken from the socket is not changed by another one in the same bytes. */
    @Test
    void shouldNotWriteIntoWhatOthersRead() {
        List<byte[]> batches = batches(3);
        TestClient first = client();
        TestClient second = client();
        locate(first, second);
        first.keptResponses = new ArrayList<>();
        read(first, 0, 3 * ONE);
        assertThat(read(second, 1, ONE)).isEqualTo(batches.get(1));
        assertThat(sharedBytes()).isEqualTo(batches.get(1).length);
        ByteBuf kept = first.keptResponses.get(0).resetReaderIndex();
        byte[] response = new byte[kept.writerIndex() - PendingRequest.SIZE_BYTES];
        kept.getBytes(PendingRequest.SIZE_BYTES, response);
        kept.release();
        assertThat(records(only(FetchAnswers.parse(response))))
                .isEqualTo(concat(batches.get(0), batches.get(1), batches.get(2)));
    }

    @Test
    void shouldReadAnewWhatWasReadUnderAGrantThatIsOver() {
        batches(4);
        TestClient first = client();
        TestClient second = client();
        locate(first, second);
        byte[] before = read(first, 1, ONE);
        peer.run(() -> {
            log.overwrite(1, (byte) '!');
            log.generation++;
            peer.publish(log);
        });
        assertThat(read(second, 1, ONE))
                .isNotEqualTo(before)
                .isEqualTo(peer.on(() -> log.batchAt(1).bytes()));
        assertThat(sharedBytes()).isZero();
    }

    /** The grant ends while one connection reads and another waits for the data: both must check the slot again. */
    @Test
    void shouldNotServeWaitersWhatAGrantThatEndsMeanwhileHeld() {
        batches(4);
        TestClient first = client();
        TestClient second = client();
        locate(first, second);
        TestClient.Request[] requests = askTogether(first, second);
        peer.run(() -> {
            log.overwrite(1, (byte) '!');
            log.generation++;
            peer.publish(log);
        });
        SlowReads.withheldAboveBytes = Integer.MAX_VALUE;
        byte[] now = peer.on(() -> log.batchAt(1).bytes());
        assertThat(records(answer(requests[0]))).isEqualTo(now);
        assertThat(records(answer(requests[1]))).isEqualTo(now);
    }

    /** Runs the step and delays READs of records, not those of slots; returns when all requests wait for such READs. */
    private void awaitReadsOfData(Runnable requests) {
        SlowReads.withheldAboveBytes = VALUE;
        requests.run();
        // Slots are read and checked during the submission of a request.
        clients.get(0).on(() -> null);
        await().atMost(SOON).until(() -> fixture.meters.value(Meter.TRANSPORT_IN_FLIGHT) > 0);
    }

    /** Both fetch the same batch: the first reads, the second waits for it, and the READ is delayed. */
    private TestClient.Request[] askTogether(TestClient first, TestClient second) {
        TestClient.Request[] requests = new TestClient.Request[2];
        awaitReadsOfData(() -> {
            requests[0] = first.submit(ask(1, ONE));
            requests[1] = second.submit(ask(1, ONE));
        });
        return requests;
    }

    @Test
    void shouldServeAWaiterWhenTheOneThatReadsLeaves() {
        List<byte[]> batches = batches(4);
        TestClient first = client();
        TestClient second = client();
        locate(first, second);
        TestClient.Request[] requests = new TestClient.Request[2];
        awaitReadsOfData(() -> requests[0] = first.submit(ask(1, ONE)));
        requests[1] = second.submit(ask(1, ONE));
        requests[0].cancelled = true;
        first.close();
        SlowReads.withheldAboveBytes = Integer.MAX_VALUE;
        assertThat(records(answer(requests[1]))).isEqualTo(batches.get(1));
        requests[0].frame().release();
    }

    @Test
    void shouldServeTheOneThatReadsWhenAWaiterLeaves() {
        List<byte[]> batches = batches(4);
        TestClient first = client();
        TestClient second = client();
        locate(first, second);
        TestClient.Request[] requests = askTogether(first, second);
        requests[1].cancelled = true;
        second.close();
        SlowReads.withheldAboveBytes = Integer.MAX_VALUE;
        assertThat(records(answer(requests[0]))).isEqualTo(batches.get(1));
        requests[1].frame().release();
    }

    @Test
    void shouldLetAllFallBackWhenTheLinkIsLostUnderThem() {
        batches(4);
        TestClient first = client();
        TestClient second = client();
        locate(first, second);
        TestClient.Request[] requests = askTogether(first, second);
        peer.run(peer::closeControlConnections);
        // Either end may be noticed first.
        await().atMost(SOON)
                .until(() -> fixture.meters.value(Meter.LINK_FAILURES, "control_lost")
                                + fixture.meters.value(Meter.LINK_FAILURES, "queue_pair")
                        > 0);
        SlowReads.withheldAboveBytes = Integer.MAX_VALUE;
        for (TestClient.Request request : requests) {
            assertThat(request.await().kind()).isEqualTo("fallBack:LINK_DOWN");
        }
        await("its end").atMost(SOON).until(() -> fixture.meters.value(Meter.PREFETCHED_BYTES) == 0);
    }

    @Test
    void shouldKeepMemoryThatIsReadIntoAlthoughNobodyWantsIt() {
        List<byte[]> batches = batches(3);
        byte[] last = append("z");
        TestClient client = client();
        TestClient.Request first = client.submit(ask(0, ONE));
        // On the event loop, between the answer and the read-ahead.
        first.answer.thenRun(() -> SlowReads.withheldAboveBytes = VALUE);
        assertThat(records(answer(first))).isEqualTo(batches.get(0));
        await().atMost(SOON).until(() -> fixture.meters.value(Meter.PREFETCHED_BYTES) > 0);
        assertThat(read(client, 3, ONE)).isEqualTo(last);
        assertThat(read(client, 3, ONE)).isEqualTo(last);
        assertThat(fixture.meters.value(Meter.PREFETCHED_BYTES)).isPositive();
        SlowReads.withheldAboveBytes = Integer.MAX_VALUE;
        await().atMost(SOON).until(() -> fixture.meters.value(Meter.PREFETCHED_BYTES) == 0);
    }

    @Test
    void shouldKeepAFewOnlyForThoseThatDoNotCome() {
        append("0".repeat(VALUE));
        TestClient first = client();
        TestClient second = client();
        locate(first, second);
        for (int i = 1; i < 60; i++) {
            byte[] batch = append(((char) ('a' + i % 26) + "").repeat(20 * VALUE));
            assertThat(read(first, i, MAX)).isEqualTo(batch);
            assertThat(fixture.meters.value(Meter.PREFETCHED_BYTES))
                    .isLessThanOrEqualTo(FastPathFixture.READ_MEMORY_BYTES / 2);
        }
        await().atMost(SOON).until(() -> fixture.meters.value(Meter.PREFETCHED_BYTES) == 0);
        assertThat(sharedBytes()).isZero();
    }

    /** A client that reads sequentially, with its own answer size. */
    private final class Walker {
        final TestClient client = client();
        final int maxBytes;
        long next;
        TestClient.Request asked;

        Walker(long from, int maxBytes) {
            this.next = from;
            this.maxBytes = maxBytes;
        }

        void ask() {
            asked = client.submit(SharedReadsTest.ask(next, maxBytes));
        }

        /** Returns the number of bytes. */
        int check(String as) {
            PartitionData partition = answer(asked);
            ByteBuffer served = ByteBuffer.wrap(records(partition));
            int bytes = served.remaining();
            for (var batch : ((MemoryRecords) partition.records()).batches()) {
                long offset = next;
                assertThat(batch.baseOffset()).as(as).isEqualTo(offset);
                byte[] of = new byte[batch.sizeInBytes()];
                served.get(of);
                assertThat(of)
                        .as(as)
                        .isEqualTo(peer.on(() -> log.batchAt(offset).bytes()));
                next = batch.lastOffset() + 1;
            }
            assertThat(served.hasRemaining()).as(as).isFalse();
            return bytes;
        }
    }

    @Test
    void shouldServeTheLogsBytesToClientsThatComeAndGoAtTheirOwnPace() {
        long seed = Long.getLong("slipstream.seed", System.nanoTime());
        Random random = new Random(seed);
        List<Walker> walkers = new ArrayList<>();
        long served = 0;
        for (int round = 0; round < 250; round++) {
            if (random.nextInt(12) == 0) {
                peer.run(() -> {
                    log.roll();
                    peer.publish(log);
                });
            }
            for (int i = random.nextInt(3); i > 0; i--) {
                append(String.valueOf((char) ('a' + random.nextInt(26))).repeat(1 + random.nextInt(40_000)));
            }
            if (random.nextInt(15) == 0) {
                // Truncated and written again, as after a loss of leadership.
                peer.run(() -> {
                    if (log.endOffset == 0) {
                        return;
                    }
                    log.overwrite(random.nextLong(log.endOffset), (byte) random.nextInt(90));
                    log.generation++;
                    peer.publish(log);
                });
            }
            long end = peer.on(() -> log.endOffset);
            if (end > 0 && (walkers.size() < 3 || random.nextInt(10) == 0)) {
                walkers.add(new Walker(Math.max(0, end - 1 - random.nextInt(8)), 1 + random.nextInt(100_000)));
            }
            if (walkers.size() > 6) {
                walkers.remove(random.nextInt(walkers.size())).client.close();
            }
            List<Walker> asking = new ArrayList<>();
            for (Walker walker : walkers) {
                if (walker.next < end && random.nextInt(3) > 0) {
                    walker.ask();
                    asking.add(walker);
                }
            }
            for (Walker walker : asking) {
                served += walker.check("seed " + seed + ", round " + round);
            }
        }
        assertThat(sharedBytes()).as("seed %d", seed).isBetween(1L, served);
    }
}
