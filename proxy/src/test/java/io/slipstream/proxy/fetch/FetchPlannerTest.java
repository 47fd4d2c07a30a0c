// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import static io.slipstream.proxy.fetch.FetchFrames.fetch;
import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.link.meter.FallbackReason;
import io.slipstream.protocol.fetch.FetchRequestView;
import io.slipstream.protocol.slot.SlotLayout;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class FetchPlannerTest {
    private static final int KB = 1024;

    private static List<Boolean> tooLarge(ReadPlan plan, int entries) {
        return Arrays.stream(plan.entries, 0, entries)
                .map(entry -> entry.firstBatchTooLarge)
                .toList();
    }

    private static int[] lengths(ReadPlan plan, int entries) {
        return Arrays.stream(plan.entries, 0, entries)
                .mapToInt(entry -> entry.lengthBytes)
                .toArray();
    }

    @Test
    void shouldReadUpToTheHighWatermark() {
        PlannedPartitions given =
                new PlannedPartitions(1).cursor(0, 10, 100, 0, -1).slot(0, 0, 15, 700);
        ReadPlan plan = given.plan(fetch().partition(0, 10, KB).view());
        assertThat(plan.kind).isEqualTo(ReadPlan.Kind.READ);
        assertThat(plan.entries[0].lengthBytes).isEqualTo(600);
        assertThat(plan.entries[0].limitOffset).isEqualTo(15);
        assertThat(plan.firstNonEmpty).isZero();
    }

    @Test
    void shouldWaitWhenNothingIsThere() {
        PlannedPartitions given =
                new PlannedPartitions(1).cursor(0, 15, 700, 0, -1).slot(0, 0, 15, 700);
        assertThat(given.plan(fetch().partition(0, 15, KB).view()).kind).isEqualTo(ReadPlan.Kind.WAIT);
    }

    @Test
    void shouldAnswerEmptyWhenNoWaitIsLeftOrAskedFor() {
        PlannedPartitions given =
                new PlannedPartitions(1).cursor(0, 15, 700, 0, -1).slot(0, 0, 15, 700);
        ReadPlan expired = given.plan(fetch().partition(0, 15, KB).view(), true);
        assertThat(expired.kind).isEqualTo(ReadPlan.Kind.READ);
        assertThat(expired.partitionsToRead).isZero();
        ReadPlan impatient = given.plan(
                fetch().with(d -> d.setMaxWaitMs(0)).partition(0, 15, KB).view());
        assertThat(impatient.kind).isEqualTo(ReadPlan.Kind.READ);
        ReadPlan modest = given.plan(
                fetch().with(d -> d.setMinBytes(0)).partition(0, 15, KB).view());
        assertThat(modest.kind).isEqualTo(ReadPlan.Kind.READ);
    }

    @Test
    void shouldWaitForMinBytesOverAllPartitions() {
        PlannedPartitions given = new PlannedPartitions(2)
                .cursor(0, 10, 100, 0, -1)
                .slot(0, 0, 11, 200)
                .cursor(1, 10, 100, 0, -1)
                .slot(1, 0, 11, 180);
        FetchFrames request = fetch().partition(0, 10, KB).partition(1, 10, KB);
        assertThat(given.plan(request.with(d -> d.setMinBytes(181)).view()).kind)
                .isEqualTo(ReadPlan.Kind.WAIT);
        assertThat(given.plan(request.with(d -> d.setMinBytes(180)).view()).kind)
                .isEqualTo(ReadPlan.Kind.READ);
    }

    @Test
    void shouldCapMinBytesByMaxBytes() {
        PlannedPartitions given =
                new PlannedPartitions(1).cursor(0, 10, 100, 0, -1).slot(0, 0, 15, 700);
        given.cursors[0].nextBatchBytes = 100;
        ReadPlan plan = given.plan(fetch().with(d -> d.setMinBytes(10_000).setMaxBytes(200))
                .partition(0, 10, KB)
                .view());
        assertThat(plan.kind).isEqualTo(ReadPlan.Kind.READ);
        assertThat(plan.entries[0].lengthBytes).isEqualTo(200);
    }

    @Test
    void shouldProbeTheFirstBatchWhenLimitsMightCutIt() {
        PlannedPartitions given =
                new PlannedPartitions(1).cursor(0, 10, 100, 0, -1).slot(0, 0, 15, 700);
        ReadPlan plan = given.plan(fetch().partition(0, 10, 50).view());
        assertThat(plan.kind).isEqualTo(ReadPlan.Kind.PROBE);
        assertThat(plan.probeEntry).isZero();
    }

    /**
     * A partition whose first batch does not fit yields nothing and uses no limit, so its size must be known before
     * later entries are planned.
     */
    @Test
    void shouldProbeALaterPartitionThatLimitsCutAndChargeNothingIfItsBatchDoesNotFit() {
        PlannedPartitions given = new PlannedPartitions(3)
                .cursor(0, 10, 100, 0, -1)
                .slot(0, 0, 11, 200)
                .cursor(1, 10, 100, 0, -1)
                .slot(1, 0, 15, 700)
                .cursor(2, 10, 100, 0, -1)
                .slot(2, 0, 11, 180);
        FetchFrames request = fetch().with(d -> d.setMaxBytes(200))
                .partition(0, 10, KB)
                .partition(1, 10, KB)
                .partition(2, 10, KB);

        ReadPlan unknown = given.plan(request.view());
        assertThat(unknown.kind).isEqualTo(ReadPlan.Kind.PROBE);
        assertThat(unknown.probeEntry).isEqualTo(1);

        given.cursors[1].nextBatchBytes = 400;
        ReadPlan known = given.plan(request.view());
        assertThat(known.kind).isEqualTo(ReadPlan.Kind.READ);
        assertThat(lengths(known, 3)).containsExactly(100, 0, 80);
        assertThat(tooLarge(known, 3)).containsExactly(false, true, false);
    }

    /**
     * For a partition with nothing readable, a broker reports no oversized batch; it answers an empty list of aborted
     * transactions.
     */
    @Test
    void shouldTellABatchThatDoesNotFitFromALimitOfNothing() {
        PlannedPartitions given = new PlannedPartitions(2)
                .cursor(0, 10, 100, 0, -1)
                .slot(0, 0, 11, 200)
                .cursor(1, 10, 100, 0, -1)
                .slot(1, 0, 15, 700);
        given.cursors[1].nextBatchBytes = 400;
        ReadPlan cut =
                given.plan(fetch().partition(0, 10, KB).partition(1, 10, 7).view());
        assertThat(tooLarge(cut, 2)).containsExactly(false, true);
        ReadPlan nothing =
                given.plan(fetch().partition(0, 10, KB).partition(1, 10, 0).view());
        assertThat(lengths(nothing, 2)).containsExactly(100, 0);
        assertThat(tooLarge(nothing, 2)).containsExactly(false, false);
    }

    @Test
    void shouldReadTheWholeFirstBatchAboveAllLimits() {
        PlannedPartitions given = new PlannedPartitions(2)
                .cursor(0, 10, 100, 0, -1)
                .slot(0, 0, 15, 700)
                .cursor(1, 10, 0, 0, -1)
                .slot(1, 0, 15, 700);
        given.cursors[0].nextBatchBytes = 400;
        given.cursors[1].nextBatchBytes = 400;
        ReadPlan plan = given.plan(fetch().with(d -> d.setMaxBytes(300))
                .partition(0, 10, 50)
                .partition(1, 10, 50)
                .view());
        assertThat(plan.kind).isEqualTo(ReadPlan.Kind.READ);
        assertThat(plan.entries[0].lengthBytes).isEqualTo(400);
        assertThat(plan.entries[1].lengthBytes)
                .as("only the first partition may exceed limits")
                .isZero();
    }

    @Test
    void shouldServeTheEntryWhoseTurnItIsFirst() {
        PlannedPartitions given = new PlannedPartitions(2)
                .cursor(0, 10, 100, 0, -1)
                .slot(0, 0, 15, 700)
                .cursor(1, 10, 0, 0, -1)
                .slot(1, 0, 15, 700);
        given.cursors[0].nextBatchBytes = 400;
        given.cursors[1].nextBatchBytes = 400;
        ReadPlan plan = given.plan(
                fetch().with(d -> d.setMaxBytes(400))
                        .partition(0, 10, KB)
                        .partition(1, 10, KB)
                        .view(),
                false,
                new int[] {1, 0});
        assertThat(plan.entries[0].lengthBytes).isZero();
        assertThat(plan.entries[1].lengthBytes).isEqualTo(400);
        assertThat(plan.firstNonEmpty).isEqualTo(1);
    }

    @Test
    void shouldAnswerFromAnOlderSegmentWhateverMinBytes() {
        PlannedPartitions given =
                new PlannedPartitions(1).cursor(0, 10, 100, 0, 300).slot(0, 50, 60, 700);
        ReadPlan plan = given.plan(
                fetch().with(d -> d.setMinBytes(100_000)).partition(0, 10, KB).view());
        assertThat(plan.kind).isEqualTo(ReadPlan.Kind.READ);
        assertThat(plan.entries[0].lengthBytes).as("only to the segment's end").isEqualTo(200);
    }

    @Test
    void shouldLocateAnewAtASegmentsEndAndAfterARoll() {
        PlannedPartitions atEnd =
                new PlannedPartitions(1).cursor(0, 50, 300, 0, 300).slot(0, 50, 60, 700);
        assertThat(atEnd.plan(fetch().partition(0, 50, KB).view()).kind).isEqualTo(ReadPlan.Kind.LOCATE);
        PlannedPartitions rolled =
                new PlannedPartitions(1).cursor(0, 10, 100, 0, -1).slot(0, 50, 60, 700);
        assertThat(rolled.plan(fetch().partition(0, 10, KB).view()).kind).isEqualTo(ReadPlan.Kind.LOCATE);
    }

    @Test
    void shouldStayWhenTheLogRolledButNothingIsReadable() {
        PlannedPartitions given =
                new PlannedPartitions(1).cursor(0, 50, 300, 0, -1).slot(0, 50, 50, 0);
        assertThat(given.plan(fetch().partition(0, 50, KB).view()).kind).isEqualTo(ReadPlan.Kind.WAIT);
    }

    @Test
    void shouldLocateWhenTheCursorStandsElsewhereOrTheEpochDiffers() {
        PlannedPartitions given =
                new PlannedPartitions(1).cursor(0, 10, 100, 0, -1).slot(0, 0, 15, 700);
        assertThat(given.plan(fetch().partition(0, 11, KB).view()).kind).isEqualTo(ReadPlan.Kind.LOCATE);
        FetchFrames withEpoch = fetch().partition(0, 10, KB, p -> p.setLastFetchedEpoch(4));
        assertThat(given.plan(withEpoch.view()).kind).isEqualTo(ReadPlan.Kind.LOCATE);
        given.cursors[0].lastEpoch = 4;
        assertThat(given.plan(withEpoch.view()).kind).isEqualTo(ReadPlan.Kind.READ);
    }

    @Test
    void shouldLocateWhenTheSlotIsRevokedOrAnothers() {
        PlannedPartitions revoked =
                new PlannedPartitions(1).cursor(0, 10, 100, 0, -1).slot(0, SlotLayout.FLAG_REVOKED, 0, 15, 700, 15, 0);
        assertThat(revoked.plan(fetch().partition(0, 10, KB).view()).kind).isEqualTo(ReadPlan.Kind.LOCATE);
        PlannedPartitions another =
                new PlannedPartitions(1).cursor(0, 10, 100, 0, -1).slot(0, 0, 15, 700);
        another.cursors[0].generation++;
        assertThat(another.plan(fetch().partition(0, 10, KB).view()).kind).isEqualTo(ReadPlan.Kind.LOCATE);
    }

    @Test
    void shouldRetryASlotThatIsBeingWritten() {
        PlannedPartitions given =
                new PlannedPartitions(1).cursor(0, 10, 100, 0, -1).slot(0, 0, 15, 700);
        int at = SlotLayout.slotOffset(0) + SlotLayout.SEQUENCE_BEGIN_OFFSET;
        given.table().putInt(at, given.table().getInt(at) + 1);
        assertThat(given.plan(fetch().partition(0, 10, KB).view()).kind).isEqualTo(ReadPlan.Kind.RETRY_SLOTS);
    }

    @Test
    void shouldLeaveToTheBrokerWhatOnlyItAnswers() {
        PlannedPartitions given =
                new PlannedPartitions(1).cursor(0, 10, 100, 0, -1).slot(0, 0, 0, 15, 700, 15, 10);
        FetchFrames epoch = fetch().partition(0, 10, KB, p -> p.setCurrentLeaderEpoch(4));
        assertFallsBack(given.plan(epoch.view()), FallbackReason.NOT_READABLE);
        given.cursor(0, 9, 100, 0, -1);
        assertFallsBack(given.plan(fetch().partition(0, 9, KB).view()), FallbackReason.NOT_READABLE);
        given.cursor(0, 16, 100, 0, -1);
        assertFallsBack(given.plan(fetch().partition(0, 16, KB).view()), FallbackReason.NOT_READABLE);
    }

    @Test
    void shouldReadWhereTransactionsWereAborted() {
        PlannedPartitions given = new PlannedPartitions(1)
                .cursor(0, 10, 100, 0, -1)
                .slot(0, SlotLayout.FLAG_ABORTED_TRANSACTIONS, 0, 15, 700, 15, 0);
        FetchFrames committed = fetch().with(d -> d.setIsolationLevel((byte) 1)).partition(0, 10, KB);
        assertThat(given.plan(committed.view()).kind).isEqualTo(ReadPlan.Kind.READ);
    }

    @Test
    void shouldNotReadBeyondASealedSegmentThatShrank() {
        PlannedPartitions given =
                new PlannedPartitions(1).cursor(0, 10, 100, 0, 400).slot(0, 0, 0, 15, 700, 15, 0);
        ReadPlan plan = given.plan(fetch().partition(0, 10, KB).view());
        assertThat(plan.kind).isEqualTo(ReadPlan.Kind.READ);
        assertThat(plan.entries[0].lengthBytes)
                .as("the high watermark's position is of before the segment was compacted")
                .isEqualTo(300);
    }

    @Test
    void shouldStopAtTheLastStableOffsetForReadCommitted() {
        PlannedPartitions given =
                new PlannedPartitions(1).cursor(0, 10, 100, 0, -1).slot(0, 0, 0, 15, 700, 12, 0);
        FetchFrames committed = fetch().with(d -> d.setIsolationLevel((byte) 1)).partition(0, 10, KB);
        ReadPlan plan = given.plan(committed.view());
        assertThat(plan.kind).isEqualTo(ReadPlan.Kind.READ);
        assertThat(plan.entries[0].limitOffset).isEqualTo(12);
        given.cursors[0].knownLimitOffset = 12;
        given.cursors[0].knownLimitPosition = 100;
        assertThat(given.plan(committed.view()).kind)
                .as("what lies below the last stable offset is known to be too little")
                .isEqualTo(ReadPlan.Kind.WAIT);
        given.slot(0, 0, 0, 15, 700, 13, 0);
        assertThat(given.plan(committed.view()).kind).isEqualTo(ReadPlan.Kind.READ);
    }

    @Test
    void shouldKnowTheBytesBelowTheLastStableOffsetWhileTheCursorAdvances() {
        PlannedPartitions given =
                new PlannedPartitions(1).cursor(0, 10, 100, 0, -1).slot(0, 0, 0, 19, 700, 14, 0);
        given.cursors[0].knownLimitOffset = 14;
        given.cursors[0].knownLimitPosition = 400;
        assertThat(given.plan(committed(10)).entries[0].lengthBytes).isEqualTo(300);
        given.cursors[0].advance(120, 120, 11, 5, 0);
        assertThat(given.plan(committed(11)).entries[0].lengthBytes)
                .as("after it advanced")
                .isEqualTo(180);
        given.cursors[0].skip(80, 0);
        assertThat(given.plan(committed(11)).entries[0].lengthBytes)
                .as("after it skipped")
                .isEqualTo(100);
        given.cursor(0, 11, 300, 0, -1);
        assertThat(given.plan(committed(11)).entries[0].lengthBytes)
                .as("located anew, perhaps in other bytes")
                .isEqualTo(400);
    }

    private static FetchRequestView committed(long offset) {
        return fetch().with(d -> d.setIsolationLevel((byte) 1))
                .partition(0, offset, KB)
                .view();
    }

    private static void assertFallsBack(ReadPlan plan, FallbackReason reason) {
        assertThat(plan.kind).isEqualTo(ReadPlan.Kind.SPLIT);
        assertThat(plan.entries[0].refusal).isEqualTo(reason);
    }
}
