// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.history.ClientEvent.ClientFailed;
import io.slipstream.history.ClientEvent.Polled;
import io.slipstream.history.ClientEvent.Positioned;
import io.slipstream.history.ClientEvent.SendCompleted;
import io.slipstream.history.ClientEvent.WatermarksObserved;
import io.slipstream.history.ConsumerKind;
import io.slipstream.history.Declaration.ConsumerDeclared;
import io.slipstream.history.Declaration.PartitionDeclared;
import io.slipstream.history.Declaration.ProducerDeclared;
import io.slipstream.history.Event;
import io.slipstream.history.MemoryHistory;
import io.slipstream.history.Outcome;
import io.slipstream.history.ProducerKind;
import io.slipstream.history.RecordRun;
import io.slipstream.history.RunEvent.FaultBegun;
import io.slipstream.history.RunEvent.FaultEnded;
import io.slipstream.history.RunEvent.FaultsStopped;
import io.slipstream.history.RunEvent.LoadStopping;
import io.slipstream.workload.ClientNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.Test;

class ServiceBuilderTest {
    private static final long MS = 1_000_000;
    private static final ClientNames NAMES =
            new ClientNames(Map.of(0, "t/producer"), Map.of(0, "t/reader-0", 1, "t/reader-1"));
    private static final int STEP_MS = 100;

    private final List<Event> events = new ArrayList<>();
    private long ms;
    private long sent;
    private final long[] read = new long[2];

    /** Silent for 29 s of a fault of 30 s, which only stretches to 100 operations if it lasts until the recovery. */
    @Test
    void shouldFindAnArmThatIsSilentInEachFault() {
        Service silent = faults(at -> at % 40_000 >= 39_000 || at % 40_000 < 10_000, at -> true);
        Service direct = new ServiceBuilderTest().faults(at -> true, at -> true);

        List<Availability.Excess> findings = Availability.beside(silent, direct, fault -> true);

        assertThat(findings)
                .anySatisfy(excess -> {
                    assertThat(excess.fault()).isZero();
                    assertThat(excess.what())
                            .contains("t/producer was silent for 29,000 ms", "fault 0", "longer than 100 ms");
                })
                .anySatisfy(
                        excess -> assertThat(excess.what()).contains("t/producer was silent for 29,000 ms", "fault 1"));
        assertThat(Availability.beside(direct, silent, fault -> true)).isEmpty();
        assertThat(Availability.alone(direct)).isEmpty();
    }

    @Test
    void shouldFindAReaderThatWaitsInAFault() {
        Service waiting = faults(at -> true, at -> at < 50_000 || at >= 60_000);
        Service direct = new ServiceBuilderTest().faults(at -> true, at -> true);

        assertThat(Availability.beside(waiting, direct, fault -> true))
                .singleElement()
                .asString()
                .contains("t/reader-1 waited 10,000 ms", "fault 1");
        assertThat(Availability.beside(waiting, direct, fault -> fault == 0)).isEmpty();
    }

    /**
     * Faults from 10 to 40 s and from 50 to 80 s.
     *
     * @param reads when the second reader works
     */
    private Service faults(LongPredicate works, LongPredicate reads) {
        declare();
        for (; ms < 90_000; ms += STEP_MS) {
            if (ms == 10_000 || ms == 50_000) {
                events.add(new FaultBegun(ms * MS, ms == 10_000 ? 0 : 1, "link-loss", "proxy-1"));
            } else if (ms == 40_000 || ms == 80_000) {
                events.add(new FaultEnded(ms * MS, ms == 40_000 ? 0 : 1));
            }
            if (works.test(ms)) {
                step(reads.test(ms));
            }
        }
        return end();
    }

    @Test
    void shouldFindAReaderThatIsGivenNothingWhileOthersAre() {
        declare();
        for (; ms < 100_000; ms += STEP_MS) {
            step(ms < 5_000 || ms > 95_000);
        }
        Service service = end();

        assertThat(service.waitsNs().get("t/reader-0")).isLessThan(2 * STEP_MS * MS);
        assertThat(Availability.alone(service))
                .hasSize(2)
                .anySatisfy(line -> assertThat(line)
                        .startsWith("t/reader-1 was given nothing")
                        .contains("90,"))
                .anySatisfy(line -> assertThat(line).startsWith("t/reader-1 was silent"));
    }

    @Test
    void shouldFindAReaderThatIsStillWaitingAtTheEnd() {
        declare();
        for (; ms < 100_000; ms += STEP_MS) {
            step(ms < 10_000);
        }

        assertThat(Availability.alone(end()))
                .anySatisfy(line -> assertThat(line).startsWith("t/reader-1 was given nothing"));
    }

    /** The broker is paused from 10 to 20 s; meanwhile connections are cut, and another fault begins. */
    @Test
    void shouldWaitForTheEndOfAnOverlappingFault() {
        assertThat(Availability.alone(overlappingFaults(20_000))).isEmpty();
        assertThat(new ServiceBuilderTest()
                        .overlappingFaults(32_000)
                        .windows()
                        .get(1)
                        .clients())
                .allSatisfy((name, client) -> assertThat(client.recovered()).isFalse());
        assertThat(Availability.alone(new ServiceBuilderTest().overlappingFaults(32_000)))
                .anySatisfy(line -> assertThat(line).contains("no operation succeeded", "fault 1"));
    }

    private Service overlappingFaults(long servesFromMs) {
        declare();
        for (; ms < 50_000; ms += STEP_MS) {
            switch ((int) ms) {
                case 10_000 -> events.add(new FaultBegun(ms * MS, 0, "broker-pause", "broker-1"));
                case 11_000 -> events.add(new FaultBegun(ms * MS, 1, "client-cut", "proxy-1"));
                case 11_500 -> events.add(new FaultEnded(ms * MS, 1));
                case 12_000 -> events.add(new FaultBegun(ms * MS, 2, "retention", "topics"));
                case 12_500 -> events.add(new FaultEnded(ms * MS, 2));
                case 20_000 -> events.add(new FaultEnded(ms * MS, 0));
                case 30_000 -> events.add(new FaultBegun(ms * MS, 3, "link-loss", "proxy-1"));
                case 31_000 -> events.add(new FaultEnded(ms * MS, 3));
                default -> {}
            }
            if (ms < 10_000 || ms >= servesFromMs) {
                step(true);
            }
        }
        return end();
    }

    @Test
    void shouldMeasureARecoveryFromTheEndOfTheFault() {
        declare();
        for (; ms < 30_000; ms += STEP_MS) {
            if (ms == 10_000) {
                events.add(new FaultBegun(ms * MS, 0, "broker-kill", "broker-1"));
            } else if (ms == 12_000) {
                events.add(new FaultEnded(ms * MS, 0));
            }
            if (ms < 10_000 || ms >= 15_000) {
                step(true);
            }
        }

        assertThat(end().windows()).singleElement().satisfies(window -> {
            assertThat(window.durationNs()).isEqualTo(2_000 * MS);
            assertThat(window.operations()).isZero();
            assertThat(window.clients().get("t/producer").recoveryNs()).isEqualTo(3_000 * MS);
            assertThat(window.clients().get("t/producer").silenceNs()).isEqualTo(2_000 * MS);
        });
    }

    @Test
    void shouldFindARunWithoutOperations() {
        declare();
        events.add(new FaultBegun(10, 0, "link-loss", "proxy-1"));
        events.add(new FaultEnded(20, 0));

        assertThat(Availability.alone(end()))
                .contains("no operation succeeded")
                .contains("no operation succeeded during and after fault 0, link-loss of proxy-1");
    }

    @Test
    void shouldKnowTheMomentOfAnError() {
        declare();
        events.add(new ClientFailed(5, "c", "session", "CorruptRecordException"));
        events.add(new FaultBegun(10, 0, "broker-kill", "broker-1"));
        events.add(new SendCompleted(11, 0, 0, Outcome.UNKNOWN, -1, "InvalidTxnStateException"));
        events.add(new SendCompleted(12, 0, 1, Outcome.UNKNOWN, -1, "InvalidTxnStateException"));
        events.add(new FaultEnded(20, 0));
        events.add(new ClientFailed(60_000 * MS, "c", "session", "InvalidTxnStateException"));

        Service service = end();
        assertThat(service.errors())
                .isEqualTo(Map.of(
                        new Service.Seen(Service.QUIET, "CorruptRecordException"), 1,
                        new Service.Seen(0, "InvalidTxnStateException"), 1,
                        new Service.Seen(Service.QUIET, "InvalidTxnStateException"), 1));
        assertThat(ClientErrors.unexplained(service, null))
                .hasSize(2)
                .allSatisfy(line -> assertThat(line).contains("while nothing happened"));
        assertThat(ClientErrors.unexplained(service, service)).isEmpty();
    }

    @Test
    void shouldNotWaitForClientsThatAreStopped() {
        declare();
        for (; ms < 1_000; ms += 100) {
            step(true);
        }
        events.add(new FaultBegun(ms * MS, 0, "clock-jump", "broker-1"));
        step(true);
        events.add(new FaultEnded(ms * MS, 0));
        ms += 100;
        step(true);
        events.add(new LoadStopping(ms * MS));
        // The second reader is stopped first, and nobody reads what the producer still sends.
        for (int i = 0; i < 50; i++) {
            ms += 100;
            step(false);
        }
        Service service = end();
        assertThat(service.waitsNs().values()).allMatch(waitNs -> waitNs <= 100 * MS);
        assertThat(service.silencesNs().values()).allMatch(silenceNs -> silenceNs <= 200 * MS);
        assertThat(service.windows().get(0).clients().values())
                .allMatch(Service.ClientService::recovered)
                .allMatch(client -> client.waitNs() <= 100 * MS);
    }

    private void declare() {
        events.add(new PartitionDeclared(0, "t", 0));
        events.add(new ProducerDeclared(0, ProducerKind.PLAIN, 1, true, ""));
        for (int i = 0; i < 2; i++) {
            events.add(new ConsumerDeclared(i, ConsumerKind.ASSIGNED, "", i == 1));
            events.add(new Positioned(0, i, 0, 0));
        }
    }

    /** A record is sent, seen to be readable, and read. */
    private void step(boolean byBoth) {
        events.add(new SendCompleted(ms * MS, 0, (int) sent, Outcome.OK, sent, ""));
        sent++;
        events.add(new WatermarksObserved(ms * MS, ms * MS, "observer", 0, 0, sent, sent, 0));
        for (int reader = 0; reader < (byBoth ? 2 : 1); reader++) {
            RecordRun.Builder run = new RecordRun.Builder(1);
            run.add(read[reader], 0, 0, 0, 0);
            events.add(new Polled(ms * MS, ms * MS, reader, 0, read[reader], read[reader] + 1, run.build()));
            read[reader]++;
        }
    }

    private Service end() {
        events.add(new FaultsStopped(ms * MS));
        return ServiceBuilder.read(MemoryHistory.of(events), NAMES);
    }
}
