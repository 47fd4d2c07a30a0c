// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.it.Seed;
import io.slipstream.it.Thorough;
import io.slipstream.process.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** A few kills with a fresh seed. For long runs, use {@code ./slipstream faults --crash}. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class CrashIT {
    private static final int KILLS = Thorough.isAsked() ? 6 : 3;

    @Test
    @EnabledIf(value = "io.slipstream.it.Thorough#drawsSecond", disabledReason = "not drawn in this build")
    void shouldRecoverExactlyTheAcknowledgedLogAfterEachKill() throws IOException {
        // Failed rounds stay here.
        Path directory = Files.createDirectories(Checkout.root().resolve("integration-tests/target/crash"));
        CrashCampaign campaign = new CrashCampaign(CrashPlan.usual(KILLS), directory, System.out);

        CrashTotals totals = campaign.run(seedThatKillsBrokers(), KILLS);

        assertThat(totals.failures()).isEmpty();
        assertThat(totals.kills()).isEqualTo(KILLS);
        assertThat(totals.acknowledged()).isPositive();
        assertThat(totals.byRdma()).as("produced by RDMA before kills").isPositive();
        assertThat(totals.inspectedBatches())
                .as("batches read by DumpLogSegments")
                .isPositive();
    }

    /** One seed in a few hundred kills only proxies. */
    private static long seedThatKillsBrokers() {
        return LongStream.iterate(Seed.ofRun(), seed -> seed + 1)
                .filter(seed -> CrashPlan.usual(KILLS).schedule(seed).recoversLoad())
                .findFirst()
                .orElseThrow();
    }

    @Test
    void shouldReportEveryKindOfDamageFoundByKafkasTool(@TempDir Path logs) throws IOException {
        byte[] torn = SegmentFile.batch(1);
        torn[torn.length - 1] ^= 1;
        SegmentFile.append(logs.resolve("sound-0"), 0, SegmentFile.batch(0), SegmentFile.batch(1));
        SegmentFile.append(logs.resolve("sound-0"), 2, SegmentFile.batch(2), SegmentFile.batch(3));
        SegmentFile.append(logs.resolve("torn-0"), 0, SegmentFile.batch(0), torn);
        SegmentFile.append(logs.resolve("gap-0"), 0, SegmentFile.batch(0), SegmentFile.batch(2));
        SegmentFile.append(logs.resolve("trailing-0"), 0, SegmentFile.batch(0), new byte[100]);
        SegmentFile.append(logs.resolve("index-0"), 0, SegmentFile.batch(0), SegmentFile.batch(1));
        // Makes the index place the batch ending at offset 1 at the position of the batch ending at offset 0.
        Files.write(logs.resolve("index-0/00000000000000000000.index"), new byte[] {0, 0, 0, 1, 0, 0, 0, 0});

        try (SegmentInspector inspector = new SegmentInspector()) {
            assertThat(inspector.inspect(logs))
                    .anySatisfy(line -> assertThat(line).startsWith("torn-0/").contains("isvalid: false"))
                    .anySatisfy(line -> assertThat(line).startsWith("gap-0/").contains("0 is followed by 2"))
                    .anySatisfy(line -> assertThat(line).startsWith("trailing-0/"))
                    .anySatisfy(line -> assertThat(line).startsWith("index-0/").contains("Mismatches in"))
                    .noneSatisfy(line -> assertThat(line).startsWith("sound-0/"));
            assertThat(inspector.files()).isEqualTo(7);
            assertThat(inspector.batches()).isGreaterThanOrEqualTo(8);

            // Intact segments are inspected again only after a change; others always.
            SegmentFile.append(logs.resolve("sound-0"), 2, new byte[3]);
            assertThat(inspector.inspect(logs))
                    .anySatisfy(line -> assertThat(line).startsWith("sound-0/00000000000000000002.log"))
                    .anySatisfy(line -> assertThat(line).startsWith("torn-0/"));
            assertThat(inspector.files()).isEqualTo(13);
        }
    }
}
