// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.faults.schedule.FaultClass;
import io.slipstream.faults.schedule.Schedule;
import io.slipstream.it.Seed;
import io.slipstream.it.Thorough;
import io.slipstream.process.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

/**
 * A few process faults with a fresh seed, the same in each arm: directly and by RDMA, with {@code -Pthorough} also
 * through proxies without RDMA. For long runs, use {@code ./slipstream faults}.
 */
@EnabledIf(value = "io.slipstream.it.Thorough#drawsFirst", disabledReason = "not drawn in this build")
@Timeout(value = 12, unit = TimeUnit.MINUTES)
class ProcessFaultsIT {
    private static final long SEED_LENGTH_MS = 8_000;
    /** Enough for requests in flight at each fault; the checker examines all records. */
    private static final int RECORDS_PER_SECOND = 300;

    private static final Set<Arm> ARMS =
            Thorough.isAsked() ? EnumSet.allOf(Arm.class) : EnumSet.of(Arm.DIRECT, Arm.RDMA);

    @Test
    void shouldShowOnlyAnomaliesOfStockKafka() throws IOException {
        // Histories with anomalies stay here.
        Path directory = Files.createDirectories(Checkout.root().resolve("integration-tests/target/faults"));
        Campaign campaign = new Campaign(
                ARMS,
                Machine.probe(),
                directory,
                System.out,
                SEED_LENGTH_MS,
                EnumSet.allOf(FaultClass.class),
                RECORDS_PER_SECOND);

        List<SeedResult> results = campaign.run(
                new Campaign.Limits(seedOfOneBroker(), OptionalLong.of(1), Duration.ofMinutes(1), OptionalInt.empty()));

        // Apart from the others: its message begins with the differences.
        assertThat(results).flatExtracting(SeedResult::differences).isEmpty();
        assertThat(results).isNotEmpty().allSatisfy(result -> {
            assertThat(result.arms()).hasSize(ARMS.size());
            assertThat(result.results()).allSatisfy(arm -> {
                assertThat(arm.acknowledged()).as("acknowledged, %s", arm.arm()).isPositive();
                assertThat(arm.polled()).as("read, %s", arm.arm()).isPositive();
            });
            assertThat(result.arms().get(Arm.RDMA).byRdma())
                    .as("records by RDMA")
                    .isPositive();
            assertThat(result.arms().get(Arm.RDMA).carriedOut()).as("faults").isPositive();
        });
    }

    /** Starting three brokers three times takes minutes; long runs cover them. */
    private static long seedOfOneBroker() {
        return LongStream.iterate(Seed.ofRun(), seed -> seed + 1)
                .filter(seed -> Schedule.of(seed, SEED_LENGTH_MS).topology().brokers() == 1)
                .findFirst()
                .orElseThrow();
    }
}
