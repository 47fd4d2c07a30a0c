// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.it.Seed;
import io.slipstream.it.Thorough;
import io.slipstream.process.ChildProcess;
import io.slipstream.process.Patience;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The simulation with new seeds. */
class SimulationTest {
    /** Total time of the search for new failures. */
    private static final long SECONDS = Long.getLong("simulation.seconds", Thorough.isAsked() ? 40 : 10);

    /** A simulation uses the clock of its whole JVM, so the other half of the time runs in a parallel JVM. */
    private static final long SECONDS_HERE = SECONDS / 2;

    private static final int SOME_SEEDS = 30;
    private static final int SEEDS_OF_FOLLOWERS = 180;
    private static final long FAR_AWAY = 1L << 60;
    private static final Duration OTHERS_PATIENCE = Patience.of(Duration.ofSeconds(SECONDS_HERE + 30));

    @BeforeAll
    static void weave() {
        Surroundings.install();
    }

    @Test
    void shouldBreakNoInvariantWithFreshSeeds(@TempDir Path directory) throws IOException {
        long first = Seed.ofRun() << 20;
        ChildProcess other = simulation(first + FAR_AWAY, directory);
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_HERE);
        Campaign campaign = new Campaign();
        campaign.run(first, () -> campaign.failures().isEmpty() && System.nanoTime() - endNs < 0, outcome -> {});
        int status = other.awaitExit(OTHERS_PATIENCE);
        other.kill9();
        String others = Files.readString(other.log());
        System.out.println("simulation from seed " + first + ": " + campaign.counts());
        System.out.print(others);

        assertThat(campaign.failures())
                .as("replay with: ./slipstream faults --simulate --replay SEED")
                .isEmpty();
        assertThat(status).as(others).isZero();
        assertThat(campaign.seeds()).isGreaterThan(10);
        assertThat(campaign.faults()).isPositive();
    }

    private static ChildProcess simulation(long firstSeed, Path directory) {
        List<String> command = List.of(
                ChildProcess.java(),
                "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                SimulationMain.class.getName(),
                "--seed=" + firstSeed,
                "--minutes=" + SECONDS_HERE / 60.0);
        return ChildProcess.start("simulation", command, directory, directory.resolve("simulation.log"));
    }

    /** With the last two, a link is lost and set up again after a pause. */
    @ParameterizedTest
    @ValueSource(longs = {2, 3, 5, 8, 13, 44, 100077})
    void shouldRunTheSameWayAgain(long seed) {
        Simulation.Outcome first = Simulation.run(Scenario.of(seed), false);
        Simulation.run(Scenario.of(seed + 1), false);
        Simulation.Outcome again = Simulation.run(Scenario.of(seed), true);

        assertThat(again.digest()).isEqualTo(first.digest());
        assertThat(again.events()).isEqualTo(first.events());
        assertThat(again.virtualNs()).isEqualTo(first.virtualNs());
    }

    /**
     * Three seeds of a Fetch that waited for another's READ for longer than a lease, and then read by its old slots.
     * Two of a link that the plugin called broken after its peer had ended it, and one of a link that its peer ended
     * while an operation was in flight. One of a simulated client that began to fetch on a connection that it had
     * closed.
     */
    @ParameterizedTest
    @ValueSource(
            longs = {
                1795492002500627838L,
                1795492002500636588L,
                1795492002500670583L,
                1795943470224123219L,
                1795943470224190092L,
                1795944233679282390L,
                1795943470224187881L
            })
    void shouldHoldWithSeedsThatFoundABug(long seed) {
        assertThat(Simulation.run(Scenario.of(seed), false).violation()).isNull();
    }

    /** Without this, the other tests could pass because nothing happens. */
    @Test
    void shouldCarryRequestsByRdma() {
        int answered = 0;
        long read = 0;
        long shared = 0;
        for (long seed = 1; seed <= SOME_SEEDS; seed++) {
            Simulation.Outcome outcome = Simulation.run(Scenario.of(seed), false);
            answered += outcome.byRdma();
            read += outcome.batchesByRdma();
            shared += outcome.sharedBytes();
        }
        assertThat(answered).isGreaterThan(200);
        assertThat(read).as("batches read one-sided").isGreaterThan(100);
        assertThat(shared).as("bytes read for two consumers at once").isGreaterThan(1_000);
    }

    /** Followers are in a third of the seeds with two brokers. */
    @Test
    void shouldCarryFetchesOfFollowersByRdma() {
        int fetches = 0;
        for (long seed = 0; seed < SEEDS_OF_FOLLOWERS; seed += 3) {
            fetches += Simulation.run(Scenario.of(seed), false).fetchesByRdma();
        }
        assertThat(fetches).isGreaterThan(50);
    }
}
