// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.faults.schedule.Episode;
import io.slipstream.faults.schedule.Fault;
import io.slipstream.faults.schedule.FaultClass;
import io.slipstream.faults.schedule.Role;
import io.slipstream.faults.schedule.Schedule;
import io.slipstream.faults.schedule.Topology;
import io.slipstream.it.Seed;
import io.slipstream.process.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

/**
 * Leaders are killed and elected under load: three brokers, three replicas, two proxies, acks=all with and without
 * idempotence. The checker must find every acknowledged record. For long runs, use {@code ./slipstream faults --brokers
 * 3}.
 */
@EnabledIf(value = "io.slipstream.it.Thorough#drawsSecond", disabledReason = "not drawn in this build")
@Timeout(value = 6, unit = TimeUnit.MINUTES)
class LeaderFaultsIT {
    private static final int BROKERS = 3;
    /** Enough for records in flight at each fault; the checker examines all records. */
    private static final int RECORDS_PER_SECOND = 300;

    @Test
    void shouldKeepAcknowledgedRecordsWhenLeadersAreKilledOrElected() throws IOException {
        // A history with anomalies stays here.
        Path directory = Files.createDirectories(Checkout.root().resolve("integration-tests/target/faults"));
        Campaign.silenceClients();
        Schedule schedule = schedule(Seed.ofRun());

        ArmResult result = new ArmRun(schedule, Arm.RDMA, Machine.probe(), RECORDS_PER_SECOND, directory).run();

        System.out.printf(
                "%d acknowledged, %d read, %d by RDMA%n", result.acknowledged(), result.polled(), result.byRdma());
        assertThat(result.outcomes())
                .as("faults: %s", result.outcomes())
                .hasSize(schedule.faultCount())
                .allMatch(FaultOutcome::isCarriedOut);
        assertThat(Comparison.differences(Map.of(Arm.RDMA, result)))
                .as(result.report().text())
                .isEmpty();
        assertThat(result.acknowledged()).as("acknowledged").isPositive();
        assertThat(result.polled()).as("read").isPositive();
        assertThat(result.paths().rdmaProduced()).as("produced by RDMA").isGreaterThan(100);
        if (result.isUsual()) {
            result.evidence().delete();
        }
        result.evidence().compress();
    }

    /** Each broker leads one of three partitions until the first is killed, and again after each election. */
    private static Schedule schedule(long seed) {
        Random random = new Random(seed);
        int first = random.nextInt(BROKERS);
        int second = (first + 1 + random.nextInt(BROKERS - 1)) % BROKERS;
        return new Schedule(
                seed,
                new Topology(BROKERS, 2),
                false,
                List.of(kill(first, random), election(random), kill(second, random)));
    }

    private static Episode kill(int broker, Random random) {
        return episode(new Fault.Kill(Role.BROKER, broker, 10 + random.nextInt(500)), random);
    }

    private static Episode election(Random random) {
        return episode(new Fault.Administration(FaultClass.LEADER_ELECTION, 1 + random.nextInt(3), 1_000), random);
    }

    /** Waits before the fault, so that links are up again. */
    private static Episode episode(Fault fault, Random random) {
        return new Episode(1_000 + random.nextInt(500), List.of(new Episode.Timed(0, fault)));
    }
}
