// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

import static io.slipstream.proxy.fetch.FetchFrames.fetch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.protocol.control.ControlApi;
import io.slipstream.proxy.fetch.FetchFrames;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The proxy's read reports to a plugin, and the reads that it serves within the plugin's allowance. */
@Timeout(60)
class ReadAccountingTest {
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final int MB = 1 << 20;

    private FastPathFixture fixture;
    private PluginPeer peer;
    private TestClient client;
    private PeerLog log;

    @BeforeEach
    void start() throws IOException {
        fixture = new FastPathFixture(FastPathFixture.ANY_MEMORY);
        peer = fixture.peer();
        client = fixture.client(peer);
        log = peer.on(() -> peer.log("cars", 0));
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
        fixture.close();
        peer.close();
    }

    private int append(String value) {
        return peer.on(() -> {
            byte[] batch = log.append(value);
            log.commit();
            peer.publish(log);
            return batch.length;
        });
    }

    private TestClient.Answer answer(FetchFrames frames) {
        return client.submit(frames.bytes()).await();
    }

    private int answerBytes(long offset) {
        TestClient.Answer answer = answer(fetch().partition(0, offset, MB));
        assertThat(answer.kind()).isEqualTo("respond");
        return answer.response().length;
    }

    private void awaitTold(ToLongFunction<PeerBooks> what, long value) {
        await().atMost(SOON)
                .untilAsserted(() ->
                        assertThat(peer.on(() -> what.applyAsLong(peer.books))).isEqualTo(value));
    }

    private static long sum(Iterable<? extends Number> numbers) {
        long sum = 0;
        for (Number number : numbers) {
            sum += number.longValue();
        }
        return sum;
    }

    @Test
    void shouldTellBytesOfRecordsAndFetchesOfAPartitionForAllClientsTogether() {
        int first = append("a");
        int second = append("b".repeat(3000));
        TestClient other = fixture.client(peer);
        answerBytes(0);
        answerBytes(1);
        other.submit(fetch().partition(0, 0, MB).bytes()).await();
        other.close();
        answer(fetch().with(d -> d.setMaxWaitMs(1)).partition(0, 2, MB));
        List<Integer> slot = List.of(log.slot, log.generation);
        awaitTold(books -> books.recordBytes.getOrDefault(slot, 0L), 2L * first + 3L * second);
        awaitTold(books -> books.fetches.getOrDefault(slot, 0), 4);
        assertThat(peer.on(() -> peer.books.recordBytes.size())).isEqualTo(1);
    }

    @Test
    void shouldTellWhatWasServedSinceItLastTold() {
        long batch = append("a");
        for (int i = 1; i <= 3; i++) {
            answerBytes(0);
            awaitTold(books -> sum(books.fetches.values()), i);
            awaitTold(books -> sum(books.recordBytes.values()), i * batch);
        }
    }

    @Test
    void shouldTellWhatWasServedLastWhenTheLinkIsClosed() {
        append("a");
        answerBytes(0);
        awaitTold(books -> sum(books.fetches.values()), 1);
        answerBytes(0);
        fixture.factory.close();
        awaitTold(books -> sum(books.fetches.values()), 2);
    }

    @Test
    void shouldTellNothingWhileNothingIsServed() {
        append("a");
        answerBytes(0);
        awaitTold(books -> sum(books.fetches.values()), 1);
        int reports = peer.on(() -> peer.books.reports);
        // An empty answer after half a second, reported a second later: time enough for others.
        answerBytes(1);
        awaitTold(books -> sum(books.fetches.values()), 2);
        assertThat(peer.on(() -> peer.books.reports)).isEqualTo(reports + 1);
    }

    @Test
    void shouldTellWhatWasServedOfEachGenerationOfASlot() {
        long batch = append("a");
        answerBytes(0);
        peer.run(() -> {
            log.generation++;
            peer.publish(log);
        });
        answerBytes(0);
        awaitTold(books -> books.recordBytes.getOrDefault(List.of(log.slot, 1), 0L), batch);
        awaitTold(books -> books.recordBytes.getOrDefault(List.of(log.slot, 2), 0L), batch);
    }

    @Test
    void shouldTellNothingOfClientsWhileNoneIsLimited() {
        append("a");
        for (int i = 0; i < 5; i++) {
            answerBytes(0);
        }
        awaitTold(books -> sum(books.fetches.values()), 5);
        assertThat(peer.on(() -> sum(peer.books.charged.values()))).isZero();
    }

    @Test
    void shouldTellOnceInASecondWhileNoClientIsLimited() {
        append("a");
        answerBytes(0);
        awaitTold(books -> sum(books.fetches.values()), 1);
        int before = peer.on(() -> peer.books.reports);
        long startNs = System.nanoTime();
        do {
            answerBytes(0);
        } while (System.nanoTime() - startNs < Duration.ofMillis(1_500).toNanos());
        int reports = peer.on(() -> peer.books.reports) - before;
        long seconds = Duration.ofNanos(System.nanoTime() - startNs).toSeconds();
        assertThat(reports).isBetween(1, (int) seconds + 1);
    }

    @Test
    void shouldTellEachClientsBytesWhileSomeAreLimited() {
        append("a".repeat(1000));
        peer.run(() -> peer.books.limiting = true);
        long served = answerBytes(0);
        for (int i = 0; i < 20; i++) {
            served += answerBytes(0);
        }
        awaitTold(books -> sum(books.charged.values()), served);
    }

    @Test
    void shouldTellAtItsEndWhatAClientWasServedLast() {
        append("a".repeat(1000));
        peer.run(() -> peer.books.limiting = true);
        long served = answerBytes(0);
        awaitTold(books -> sum(books.charged.values()), served);
        served += answerBytes(0);
        client.close();
        awaitTold(books -> sum(books.charged.values()), served);
    }

    @Test
    void shouldLeaveTheClientToItsBrokerOnceItsAllowanceIsUsedUp() {
        int batch = append("a".repeat(1000));
        peer.run(() -> {
            peer.books.limiting = true;
            peer.books.allowedBytes = 3L * batch;
        });
        long served = answerBytes(0);
        peer.run(() -> peer.books.allowedBytes = 0);
        TestClient.Answer next = answer(fetch().partition(0, 0, MB));
        for (int i = 0; i < 2 && next.kind().equals("respond"); i++) {
            served += next.response().length;
            next = answer(fetch().partition(0, 0, MB));
        }
        assertThat(next.kind()).as("beyond three batches").isEqualTo("fallBack:QUOTA");
        awaitTold(books -> sum(books.charged.values()), served);
        assertThat(answer(fetch().partition(0, 0, MB)).kind()).isEqualTo("fallBack:QUOTA");

        peer.run(() -> peer.books.allowedBytes = MB);
        await().atMost(SOON)
                .until(() -> answer(fetch().partition(0, 0, MB)).kind().equals("respond"));
    }

    @Test
    void shouldNotAskWithEveryFetchOfAClientBeyondItsQuota() {
        append("a".repeat(1000));
        peer.run(() -> {
            peer.books.limiting = true;
            peer.books.allowedBytes = 0;
        });
        long start = System.nanoTime();
        for (int i = 0; i < 300; i++) {
            assertThat(answer(fetch().partition(0, 0, MB)).kind()).isEqualTo("fallBack:QUOTA");
        }
        long periods = Duration.ofNanos(System.nanoTime() - start).toMillis() / 100;
        assertThat(peer.on(() -> peer.books.reports)).isLessThanOrEqualTo((int) periods + 3);
    }

    @Test
    void shouldAnswerAClientThatHasNothingToReadWhateverIsAllowed() {
        append("a");
        peer.run(() -> peer.ignored.add(ControlApi.REPORT_READS));
        assertThat(answer(fetch().with(d -> d.setMaxWaitMs(1)).partition(0, 1, MB))
                        .kind())
                .isEqualTo("respond");
    }

    @Test
    void shouldKeepAnswersToWhatIsAllowed() {
        int batch = append("a".repeat(30_000));
        append("b".repeat(30_000));
        append("c".repeat(30_000));
        peer.run(() -> {
            peer.books.limiting = true;
            peer.books.allowedBytes = 2L * batch + 10_000;
        });
        assertThat(answerBytes(0)).isBetween(2 * batch, 2 * batch + 1000);
    }

    @Test
    void shouldLeaveAClientToItsBrokerWhileThePluginTellsNothing() {
        append("a");
        peer.run(() -> peer.ignored.add(ControlApi.REPORT_READS));
        assertThat(answer(fetch().partition(0, 0, MB)).kind()).isEqualTo("fallBack:QUOTA");
    }
}
