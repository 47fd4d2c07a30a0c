// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.broker.session.BoundSession;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest.PartitionReads;
import io.slipstream.protocol.control.ControlRequest.ReportReads;
import io.slipstream.protocol.control.ControlRequest.SessionReads;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.control.ControlResponse.ReadAllowance;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A proxy's reports of its reads, and the entries in the broker's metrics and quotas. */
class ReadReportsTest {
    private static final IntFunction<BoundSession> TWO_SESSIONS =
            id -> id == 1 || id == 2 ? ReadsFixture.session(id) : null;

    @TempDir
    Path directory;

    private ReadsFixture fixture;
    private ReadsFixture.Link link;
    private ControlResponse.Locate cars;

    @BeforeEach
    void grantCars() throws Exception {
        fixture = new ReadsFixture(8, 1 << 20);
        link = fixture.link(slot -> {});
        fixture.serve(new ScriptedLog("cars"), new ScriptedSegment(directory, 0, 5000), -1);
        cars = link.locate(ReadsFixture.session(1), "cars");
    }

    @AfterEach
    void close() throws Exception {
        fixture.close();
    }

    private ControlResponse.ReportReads report(List<PartitionReads> slots, SessionReads... sessions) throws Exception {
        CompletionStage<ControlResponse.ReportReads> answer =
                link.reads().report(new ReportReads(1, slots, List.of(sessions)), TWO_SESSIONS);
        return answer.toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    private PartitionReads ofCars(long recordBytes, int fetches) {
        return new PartitionReads(cars.slot(), cars.generation(), recordBytes, fetches);
    }

    @Test
    void shouldEnterReadsOfGrantedPartitionsByTopic() throws Exception {
        assertThat(report(List.of(ofCars(3000, 2))).error()).isEqualTo(ControlError.NONE);
        report(List.of(ofCars(500, 1)));
        assertThat(fixture.accounts.recordBytes).containsOnly(Map.entry("cars", 3500L));
        assertThat(fixture.accounts.fetches).containsEntry("cars", 3L);
    }

    @Test
    void shouldIgnoreReadsOfWhatThisLinkWasNotGranted() throws Exception {
        report(List.of(
                new PartitionReads(cars.slot(), cars.generation() + 1, 100, 1),
                new PartitionReads(cars.slot() + 1, cars.generation(), 100, 1),
                new PartitionReads(-1, 0, 100, 1)));
        assertThat(fixture.accounts.recordBytes).isEmpty();
    }

    @Test
    void shouldStillEnterWhatWasReadBeforeARevocation() throws Exception {
        link.reads().sessionClosed(ReadsFixture.session(1));
        await().atMost(Duration.ofSeconds(10))
                .until(() -> link.slot(cars.slot()).isRevoked());
        report(List.of(ofCars(3000, 2)));
        assertThat(fixture.accounts.recordBytes).containsEntry("cars", 3000L);
    }

    @Test
    void shouldRefuseNumbersThatCannotBeTrueAndEnterNothingOfThem() throws Exception {
        List<ReportReads> impossible = List.of(
                new ReportReads(1, List.of(ofCars(10, 1), ofCars(-1, 1)), List.of()),
                new ReportReads(1, List.of(ofCars(10, 1), ofCars(1, -1)), List.of()),
                new ReportReads(1, List.of(ofCars(10, 1)), List.of(new SessionReads(1, -1))),
                new ReportReads(1, List.of(ofCars(10, 1), ofCars(Long.MAX_VALUE, 1)), List.of()),
                new ReportReads(1, List.of(ofCars(10, 1)), List.of(new SessionReads(1, Long.MAX_VALUE))),
                new ReportReads(1, Collections.nCopies(1000, ofCars(1, Integer.MAX_VALUE)), List.of()),
                new ReportReads(1, Collections.nCopies(1025, ofCars(1, 1)), List.of()));
        fixture.accounts.limiting = true;
        for (ReportReads report : impossible) {
            ControlResponse.ReportReads answer = link.reads()
                    .report(report, TWO_SESSIONS)
                    .toCompletableFuture()
                    .get(10, TimeUnit.SECONDS);
            assertThat(answer.error()).isEqualTo(ControlError.LIMIT);
        }
        assertThat(fixture.accounts.recordBytes).isEmpty();
        assertThat(fixture.accounts.charged).isEmpty();
        assertThat(report(List.of(ofCars(3000, 2))).error()).as("the next").isEqualTo(ControlError.NONE);
    }

    @Test
    void shouldRefuseReportsOfAProxyThatDoesNotAwaitTheirAnswers() throws Exception {
        fixture.accounts.gate = new CountDownLatch(1);
        List<CompletableFuture<ControlResponse.ReportReads>> answers = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            answers.add(link.reads()
                    .report(new ReportReads(1, List.of(ofCars(1, 1)), List.of()), TWO_SESSIONS)
                    .toCompletableFuture());
        }
        assertThat(answers.subList(4, 10))
                .allSatisfy(answer ->
                        assertThat(answer.get(10, TimeUnit.SECONDS).error()).isEqualTo(ControlError.LIMIT));
        fixture.accounts.gate.countDown();
        assertThat(answers.subList(0, 4))
                .allSatisfy(answer ->
                        assertThat(answer.get(10, TimeUnit.SECONDS).error()).isEqualTo(ControlError.NONE));
        assertThat(fixture.accounts.recordBytes).containsEntry("cars", 4L);
        assertThat(report(List.of(ofCars(1, 1))).error()).isEqualTo(ControlError.NONE);
    }

    @Test
    void shouldChargeNobodyWhileNothingIsLimited() throws Exception {
        ControlResponse.ReportReads answer = report(List.of(), new SessionReads(1, 100));
        assertThat(answer.limiting()).isFalse();
        assertThat(answer.allowances()).containsExactly(new ReadAllowance(1, ReadAllowance.NO_LIMIT));
        assertThat(fixture.accounts.charged).isEmpty();
    }

    @Test
    void shouldChargeEachSessionsQuotaAndAnswerWhatItMayBeServed() throws Exception {
        fixture.accounts.limiting = true;
        fixture.accounts.quotas.put("principal-1", 1_600L);
        ControlResponse.ReportReads answer =
                report(List.of(), new SessionReads(1, 0), new SessionReads(2, 50), new SessionReads(9, 70));
        assertThat(answer.limiting()).isTrue();
        assertThat(answer.allowances())
                .containsExactly(
                        new ReadAllowance(1, 100),
                        new ReadAllowance(2, ReadAllowance.NO_LIMIT),
                        new ReadAllowance(9, 0));
        assertThat(fixture.accounts.charged).containsOnly(Map.entry("principal-2", 50L));

        assertThat(report(List.of(), new SessionReads(1, 100)).allowances()).containsExactly(new ReadAllowance(1, 400));
        assertThat(report(List.of(), new SessionReads(1, 1_600)).allowances())
                .as("beyond the quota")
                .containsExactly(new ReadAllowance(1, 0));
        assertThat(fixture.accounts.charged).containsEntry("principal-1", 1_700L);
    }

    @Test
    void shouldChargeButNotAllowASessionThatHasJustEnded() throws Exception {
        fixture.accounts.limiting = true;
        fixture.accounts.quotas.put("principal-5", 1_000L);
        link.reads().sessionClosed(ReadsFixture.session(5));
        assertThat(report(List.of(), new SessionReads(5, 100)).allowances()).containsExactly(new ReadAllowance(5, 0));
        assertThat(fixture.accounts.charged).containsEntry("principal-5", 100L);
    }
}
