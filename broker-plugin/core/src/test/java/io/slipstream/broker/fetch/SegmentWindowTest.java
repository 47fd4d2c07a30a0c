// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class SegmentWindowTest {
    private static final int ACTIVE = -1;
    private static final int WINDOW = 1 << 16;

    private static SegmentWindow plan(int position, int batchBytes, int sealedBytes, int segmentBytes, long fileBytes) {
        Located located = new Located(null, null, position, batchBytes, sealedBytes);
        return SegmentWindow.plan(true, located, segmentBytes, fileBytes, WINDOW);
    }

    @Test
    void shouldStartAtTheFileAndCoverItsGrowthWhereNothingIsPinned() {
        Located active = new Located(null, null, 5000, 10, ACTIVE);
        Located sealed = new Located(null, null, 5000, 10, 9000);

        assertThat(SegmentWindow.plan(false, active, 9000, 0, WINDOW))
                .isEqualTo(new SegmentWindow(0, Integer.MAX_VALUE, 9000));
        assertThat(SegmentWindow.plan(false, sealed, 9000, 0, WINDOW)).isEqualTo(new SegmentWindow(0, 9000, 9000));
    }

    @Test
    void shouldTakeAWindowOfALargeSegment() {
        assertThat(plan(1_000_000, 500, 1 << 30, 1 << 30, 1 << 30))
                .isEqualTo(new SegmentWindow(999_424, WINDOW, 1_000_000 + WINDOW / 2));
    }

    @Test
    void shouldTakeAWholeBatchThatIsLargerThanAWindow() {
        SegmentWindow window = plan(4097, 10 * WINDOW, ACTIVE, 1 << 30, 1 << 30);

        assertThat(window.startBytes()).isEqualTo(4096);
        assertThat(window.startBytes() + window.lengthBytes()).isGreaterThanOrEqualTo(4097 + 10 * WINDOW);
        assertThat(window.neededEndBytes()).isEqualTo(4097 + 10 * WINDOW);
    }

    @Test
    void shouldEndWithTheFilesLastPage() {
        assertThat(plan(100, 50, ACTIVE, 5000, 5000)).isEqualTo(new SegmentWindow(0, 8192, 5000));
        assertThat(plan(4999, 1, 5000, 5000, 5000)).isEqualTo(new SegmentWindow(4096, 4096, 5000));
    }

    @Test
    void shouldCoverWhatAFileWasPreallocatedFor() {
        assertThat(plan(0, 0, ACTIVE, 0, 1 << 20)).isEqualTo(new SegmentWindow(0, WINDOW, 0));
    }

    @Test
    void shouldBeEmptyWhereTheFileHasNoByteYet() {
        assertThat(plan(0, 0, ACTIVE, 0, 0).lengthBytes()).isZero();
        assertThat(plan(8192, 0, ACTIVE, 8192, 8192).lengthBytes()).isZero();
    }

    @Test
    void shouldAlwaysSatisfyItsOwnNeed() {
        long seed = Long.getLong("slipstream.seed", System.nanoTime());
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        for (int i = 0; i < 100_000; i++) {
            int segment = random.nextInt(1, random.nextBoolean() ? 20_000 : Integer.MAX_VALUE);
            int position = random.nextInt(segment);
            int batch = random.nextInt(segment - position) + 1;
            int sealed = random.nextBoolean() ? segment : ACTIVE;

            SegmentWindow window = plan(position, batch, sealed, segment, segment);

            long end = window.startBytes() + window.lengthBytes();
            assertThat(window.startBytes() % SegmentWindow.PAGE_BYTES).isZero();
            assertThat(window.startBytes()).isBetween(0L, (long) position);
            assertThat(end).isGreaterThanOrEqualTo(position + batch).isGreaterThanOrEqualTo(window.neededEndBytes());
            assertThat(end).isLessThan(segment + (long) SegmentWindow.PAGE_BYTES);
            assertThat(window.neededEndBytes()).isGreaterThanOrEqualTo(position + batch);
        }
    }
}
