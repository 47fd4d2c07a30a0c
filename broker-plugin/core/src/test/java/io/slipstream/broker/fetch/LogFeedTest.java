// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.slot.SlotView;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogFeedTest {
    private final ReadsFixture fixture = new ReadsFixture(4, 1 << 20);
    private final ScriptedLog log = new ScriptedLog("cars");
    private final AtomicInteger doorbells = new AtomicInteger();
    private ReadsFixture.Link link;
    private ControlResponse.Locate granted;

    @TempDir
    private Path directory;

    @BeforeEach
    void grant() throws Exception {
        fixture.serve(log, new ScriptedSegment(directory, 0, 1000), -1);
        link = fixture.link(slot -> doorbells.incrementAndGet());
        granted = link.locate(ReadsFixture.session(1), "cars");
        assertThat(granted.error()).isEqualTo(ControlError.NONE);
    }

    @AfterEach
    void close() throws Exception {
        fixture.close();
    }

    private SlotView slot() {
        return link.slot(granted.slot());
    }

    @Test
    void shouldPublishTheStateAtTheGrant() {
        SlotView slot = slot();
        assertThat(slot.generation()).isEqualTo(granted.generation());
        assertThat(slot.flags()).isZero();
        assertThat(slot.leaderEpoch()).isEqualTo(7);
        assertThat(slot.highWatermark()).isEqualTo(10);
        assertThat(slot.highWatermarkPosition()).isEqualTo(1000);
        assertThat(slot.lastStableOffset()).isEqualTo(10);
        assertThat(slot.logStartOffset()).isZero();
    }

    @Test
    void shouldPublishEachMoveToTheSlotsOfAllLinks() throws Exception {
        ReadsFixture.Link other = fixture.link(slot -> {});
        ControlResponse.Locate there = other.locate(ReadsFixture.session(1), "cars");

        log.move(state -> {
            state.segmentBaseOffset = 12;
            state.highWatermark = 20;
            state.highWatermarkPosition = 77;
            state.lastStableOffset = 15;
            state.logStartOffset = 3;
        });

        for (SlotView slot : new SlotView[] {slot(), other.slot(there.slot())}) {
            assertThat(slot.segmentBaseOffset()).isEqualTo(12);
            assertThat(slot.highWatermark()).isEqualTo(20);
            assertThat(slot.highWatermarkPosition()).isEqualTo(77);
            assertThat(slot.lastStableOffset()).isEqualTo(15);
            assertThat(slot.logStartOffset()).isEqualTo(3);
        }
    }

    @Test
    void shouldNotWriteASlotWhoseLogDidNotMove() {
        int before = slot().sequence();
        log.move(state -> {});
        assertThat(slot().sequence()).isEqualTo(before);
    }

    @Test
    void shouldKeepTheOlderWatermarkWhileThePositionIsUnknown() {
        log.positionKnown = false;
        log.move(state -> state.highWatermark = 30);
        assertThat(slot().highWatermark()).isEqualTo(10);

        log.positionKnown = true;
        log.move(state -> state.highWatermarkPosition = 3000);
        assertThat(slot().highWatermark()).isEqualTo(30);
        assertThat(slot().highWatermarkPosition()).isEqualTo(3000);
    }

    @Test
    void shouldRevokeInsteadOfGoingBack() {
        log.move(state -> state.highWatermark = 9);

        assertThat(slot().isRevoked()).isTrue();
        assertThat(slot().highWatermark()).isEqualTo(10);
        log.move(state -> state.highWatermark = 50);
        assertThat(slot().highWatermark())
                .as("nothing is published after the revocation")
                .isEqualTo(10);
    }

    @Test
    void shouldFlagAbortedTransactionsWithTheStableOffsetThatPassesThem() {
        log.abortTransaction(14);
        assertThat(slot().mayHoldAbortedTransactions()).isTrue();
        assertThat(slot().lastStableOffset()).isEqualTo(14);

        log.abortedTransactions = false;
        log.move(state -> state.highWatermark = 40);
        assertThat(slot().mayHoldAbortedTransactions()).as("never cleared").isTrue();
    }

    @Test
    void shouldNotFlagALogWhenAnotherOneAborts() {
        ScriptedLog other = new ScriptedLog("bikes");
        other.abortTransaction(10);
        log.move(state -> state.highWatermark = 11);
        assertThat(slot().mayHoldAbortedTransactions()).isFalse();
    }

    @Test
    void shouldCountEachAbortBeforeOrWithTheStableOffsetThatPassesIt() {
        log.abortTransaction(14);
        assertThat(slot().abortedCount()).isEqualTo(1);
        log.move(state -> state.highWatermark = 40);
        assertThat(slot().abortedCount()).isEqualTo(1);
        log.abortTransaction(14);
        assertThat(slot().abortedCount()).as("the offset stands still").isEqualTo(2);
        new ScriptedLog("bikes").abortTransaction(10);
        log.move(state -> state.highWatermark = 41);
        assertThat(slot().abortedCount()).as("another log's").isEqualTo(2);
    }

    @Test
    void shouldCountAnAbortAlthoughTheLogRolledBeforeItCouldBePublished() {
        log.positionKnown = false;
        log.abortTransaction(14);
        log.lastAbortedOffset = -1; // the index of the new active segment
        log.positionKnown = true;
        log.move(state -> state.highWatermark = 40);
        assertThat(slot().abortedCount()).isEqualTo(1);
        assertThat(slot().mayHoldAbortedTransactions()).isTrue();
    }

    @Test
    void shouldRevokeBeforeTheLogIsCutOrLeadershipMoves() {
        LogEvents.partitionLed(log.partitionIdentity(), 7);
        LogEvents.reconfigured(log.partitionIdentity());
        assertThat(slot().isRevoked()).as("same epoch, still served").isFalse();

        LogEvents.partitionLed(log.partitionIdentity(), 8);
        assertThat(slot().isRevoked()).isTrue();
    }

    @Test
    void shouldRevokeWhenTheHookFindsTheLogNoLongerServed() {
        log.serving = false;
        LogEvents.reconfigured(log.partitionIdentity());
        assertThat(slot().isRevoked()).isTrue();
    }

    @Test
    void shouldRefuseAGrantThatCameAfterTheHookHadLooked() throws Exception {
        LogEvents.revoked(log.partitionIdentity(), "becomes follower");
        log.serving = false;

        ControlResponse.Locate late = link.locate(ReadsFixture.session(1), "cars");
        assertThat(late.error()).isEqualTo(ControlError.NOT_READABLE);
    }

    @Test
    void shouldRevokeALogWhoseChangeCannotBeRead() {
        long before = LogEvents.failures.sum();
        log.move(state -> {
            log.failure = new IllegalStateException("closed");
        });
        assertThat(slot().isRevoked()).isTrue();
        assertThat(LogEvents.failures.sum()).isEqualTo(before + 1);
    }

    @Test
    void shouldRingOnlyAnArmedSlot() {
        log.move(state -> state.highWatermark = 11);
        assertThat(doorbells).hasValue(0);

        link.arm(granted.slot());
        log.move(state -> state.highWatermark = 12);
        log.move(state -> state.highWatermark = 13);
        assertThat(doorbells).as("once for each arming").hasValue(1);
    }
}
