// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import static io.slipstream.proxy.fetch.FetchFrames.fetch;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Plans at the end of a granted region, 200 bytes behind the cursor, of an active segment. */
class FetchPlannerRegionsTest {
    private static final int KB = 1 << 10;

    private final PlannedPartitions given =
            new PlannedPartitions(1).cursor(0, 10, 100, 0, -1).slot(0, 0, 60, 700);

    private ReadPlan plan(int minBytes) {
        given.cursors[0].segmentLengthBytes = 300;
        return given.plan(fetch().with(data -> data.setMinBytes(minBytes))
                .partition(0, 10, KB)
                .view());
    }

    @Test
    void shouldAnswerWithWhatIsLeftOfARegionWhateverMinBytes() {
        ReadPlan plan = plan(100_000);
        assertThat(plan.kind).isEqualTo(ReadPlan.Kind.READ);
        assertThat(plan.entries[0].lengthBytes).as("only to the region's end").isEqualTo(200);
    }

    @Test
    void shouldLocateOnlyABatchThatDoesNotFitIntoTheRegion() {
        given.cursors[0].nextBatchBytes = 200;
        assertThat(plan(1).kind).isEqualTo(ReadPlan.Kind.READ);
        given.cursors[0].nextBatchBytes = 201;
        assertThat(plan(1).kind).isEqualTo(ReadPlan.Kind.LOCATE);
    }

    @Test
    void shouldLocateWhereNoBatchHeaderFits() {
        given.cursors[0].segmentLengthBytes = 105;
        assertThat(given.plan(fetch().partition(0, 10, KB).view()).kind).isEqualTo(ReadPlan.Kind.LOCATE);
    }
}
