package io.slipstream.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The simulation with seeds that were never run, and with those that once found something. */
class SimulationTest {
    /** How long to look for new failures. */
    private static final long SECONDS = Long.getLong("simulation.seconds", 60);

    @BeforeAll
    static void weave() {
        Surroundings.install();
    }

    @Test
    void shouldBreakNoInvariantWithFreshSeeds() {
        long first = System.currentTimeMillis() * 1_000;
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        Campaign campaign = new Campaign();
        campaign.run(first, () -> campaign.failures().isEmpty() && System.nanoTime() - endNs < 0, outcome -> {});
        System.out.println("simulation from seed " + first + ": " + campaign.counts());

        assertThat(campaign.failures())
                .as("replay with: ./slipstream faults --simulate --replay SEED")
                .isEmpty();
        assertThat(campaign.seeds()).isGreaterThan(10);
        assertThat(campaign.faults()).isPositive();
    }

    /** What the simulation found first, and the seeds by which it finds it again where it is not fixed. */
    @ParameterizedTest
    @ValueSource(longs = {140, 217, 357, 381, 392})
    void shouldNotOfferRoomForEverOnAQueuePairThatIsGone(long seed) {
        assertThat(Simulation.run(Scenario.of(seed), false).violation()).isNull();
    }

    @ParameterizedTest
    @ValueSource(longs = {5, 9, 39, 41, 47})
    void shouldKeepTheOrderOfRequestsThatTheRingGaveBack(long seed) {
        assertThat(Simulation.run(Scenario.of(seed), false).violation()).isNull();
    }

    /** It took a beat from before its own sleep for news of a broker that slept as well by then. */
    @ParameterizedTest
    @ValueSource(longs = {1795289203173484L})
    void shouldNotTrustABrokerThatFellAsleepWhileTheProxySlept(long seed) {
        assertThat(Simulation.run(Scenario.of(seed), false).violation()).isNull();
    }

    @ParameterizedTest
    @ValueSource(longs = {2, 3, 5, 8, 13})
    void shouldRunTheSameWayAgain(long seed) {
        Simulation.Outcome first = Simulation.run(Scenario.of(seed), false);
        Simulation.run(Scenario.of(seed + 1), false);
        Simulation.Outcome again = Simulation.run(Scenario.of(seed), true);

        assertThat(again.digest()).isEqualTo(first.digest());
        assertThat(again.events()).isEqualTo(first.events());
        assertThat(again.virtualNs()).isEqualTo(first.virtualNs());
    }

    /** Without this, the others could be green because nothing happens. */
    @Test
    void shouldCarryRequestsByRdma() {
        int answered = 0;
        long read = 0;
        for (long seed = 1; seed <= 20; seed++) {
            Simulation.Outcome outcome = Simulation.run(Scenario.of(seed), false);
            answered += outcome.byRdma();
            read += outcome.batchesByRdma();
        }
        assertThat(answered).isGreaterThan(200);
        assertThat(read).isGreaterThan(100);
    }
}
