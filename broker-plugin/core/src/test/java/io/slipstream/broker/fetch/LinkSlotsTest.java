// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.broker.metrics.PluginMeters;
import io.slipstream.broker.session.BoundSession;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.slot.SlotTableHeader;
import io.slipstream.rdma.CompletionStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LinkSlotsTest {
    private static final Duration DEADLINE = Duration.ofSeconds(10);
    private static final int SLOTS = 2;
    private static final int PAGE_BYTES = 4096;
    private static final int REGISTERED_BYTES = 8 * PAGE_BYTES;

    private final ReadsFixture fixture = new ReadsFixture(SLOTS, REGISTERED_BYTES);
    private final ScriptedLog cars = new ScriptedLog("cars");
    private ScriptedSegment segment;
    private ReadsFixture.Link link;

    @TempDir
    private Path directory;

    @BeforeEach
    void open() throws Exception {
        segment = new ScriptedSegment(directory, 0, 5000);
        fixture.serve(cars, segment, -1);
        link = fixture.link(slot -> {});
    }

    @AfterEach
    void close() throws Exception {
        fixture.close();
    }

    private ControlResponse.Locate locate(int session, String topic) throws Exception {
        return link.locate(ReadsFixture.session(session), topic);
    }

    private ControlResponse.ReleaseSlot release(int session, ControlResponse.Locate granted) {
        return link.reads()
                .releaseSlot(new ControlRequest.ReleaseSlot(1, session, granted.slot(), granted.generation()));
    }

    private static void awaitWithin(java.util.concurrent.Callable<Boolean> condition) {
        await().pollInSameThread()
                .atMost(DEADLINE)
                .pollInterval(Duration.ofMillis(5))
                .until(condition);
    }

    @Test
    void shouldShareOneSlotAndOneRegionAmongTheSessionsOfALink() throws Exception {
        ControlResponse.Locate first = locate(1, "cars");
        ControlResponse.Locate second = locate(2, "cars");

        assertThat(first.error()).isEqualTo(ControlError.NONE);
        assertThat(second.slot()).isEqualTo(first.slot());
        assertThat(second.generation()).isEqualTo(first.generation());
        assertThat(second.segment()).isEqualTo(first.segment());
        assertThat(link.peer().read(first.segment(), 0, 5000).remaining()).isEqualTo(5000);
        assertThat(first.segment().lengthBytes())
                .as("covers what is appended later")
                .isEqualTo(Integer.MAX_VALUE);
        assertThat(fixture.reads.registeredBytes()).isEqualTo(PAGE_BYTES);
    }

    @Test
    void shouldShowRegionsAndBytesBesideTheirLimits() throws Exception {
        MeterRegistry meters = new PluginMeters().registry;
        fixture.reads.meter(meters);
        locate(1, "cars");
        locate(2, "cars");

        assertThat(meters.value(PluginMeter.REGIONS)).isEqualTo(1);
        assertThat(meters.value(PluginMeter.REGIONS_LIMIT)).isEqualTo(ReadsFixture.MOST_REGIONS);
        assertThat(meters.value(PluginMeter.SEGMENT_BYTES)).isEqualTo(PAGE_BYTES);
        assertThat(meters.value(PluginMeter.SEGMENT_BYTES_LIMIT)).isEqualTo(REGISTERED_BYTES);
    }

    @Test
    void shouldEndReadingBeforeAnAuthenticationExpires() throws Exception {
        AtomicLong endNs = new AtomicLong(System.nanoTime() + TimeUnit.SECONDS.toNanos(100));
        BoundSession session = ReadsFixture.session(1, endNs);
        ControlResponse.Locate granted = link.locate(session, "cars");
        ControlResponse.Locate shared = locate(2, "cars");
        assertThat(granted.error()).isEqualTo(ControlError.NONE);

        // Far less than the interval between two checks of the sessions.
        endNs.set(System.nanoTime() + 1);
        awaitWithin(() -> link.slot(granted.slot()).isRevoked());
        assertThat(link.locate(session, "cars").error()).isEqualTo(ControlError.NOT_READABLE);
        ControlResponse.Locate again = locate(2, "cars");
        assertThat(again.error()).as("another session's").isEqualTo(ControlError.NONE);
        assertThat(List.of(again.slot(), again.generation())).isNotEqualTo(List.of(shared.slot(), shared.generation()));

        endNs.set(System.nanoTime() + TimeUnit.SECONDS.toNanos(100));
        assertThat(link.locate(session, "cars").error())
                .as("authenticated again")
                .isEqualTo(ControlError.NONE);
    }

    @Test
    void shouldRevokeTheSlotWithItsLastSessionAndDeregisterALeaseLater() throws Exception {
        ControlResponse.Locate granted = locate(1, "cars");
        locate(2, "cars");

        assertThat(release(1, granted).error()).isEqualTo(ControlError.NONE);
        assertThat(link.slot(granted.slot()).isRevoked())
                .as("session 2 still reads")
                .isFalse();

        long closedNs = System.nanoTime();
        link.reads().sessionClosed(ReadsFixture.session(2));
        awaitWithin(() -> link.slot(granted.slot()).isRevoked());
        awaitWithin(() -> fixture.reads.registeredBytes() == 0);
        assertThat(System.nanoTime() - closedNs)
                .isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(ReadsFixture.LEASE_MS));
        assertThat(link.peer().tryRead(granted.segment(), 0, 10)).isEqualTo(CompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void shouldNotReuseARevokedSlotWithinItsLease() throws Exception {
        ControlResponse.Locate granted = locate(1, "cars");
        release(1, granted);
        fixture.serve(new ScriptedLog("bikes"), new ScriptedSegment(directory, 0, 100), -1);

        ControlResponse.Locate bikes = locate(1, "bikes");
        assertThat(bikes.slot()).isNotEqualTo(granted.slot());
        assertThat(link.slot(granted.slot()).isRevoked()).isTrue();

        awaitWithin(() -> {
            ControlResponse.Locate again = locate(1, "cars");
            return again.slot() == granted.slot() && again.generation() != granted.generation();
        });
    }

    @Test
    void shouldRefuseWhenAllSlotsAreInUse() throws Exception {
        for (int i = 0; i < SLOTS; i++) {
            fixture.serve(new ScriptedLog("topic-" + i), new ScriptedSegment(directory, 0, 100), -1);
            assertThat(locate(1, "topic-" + i).error()).isEqualTo(ControlError.NONE);
        }
        assertThat(locate(1, "cars").error()).isEqualTo(ControlError.LIMIT);
    }

    @Test
    void shouldDeregisterAReleasedSegmentAtOnce() throws Exception {
        ControlResponse.Locate granted = locate(1, "cars");
        ControlRequest.ReleaseSegment release =
                new ControlRequest.ReleaseSegment(1, granted.segment().rkey());

        assertThat(link.reads().releaseSegment(release).error()).isEqualTo(ControlError.NONE);
        awaitWithin(() -> fixture.reads.registeredBytes() == 0);
        assertThat(link.slot(granted.slot()).isRevoked()).isFalse();
        assertThat(link.reads().releaseSegment(release).error()).isEqualTo(ControlError.UNKNOWN_HANDLE);
        assertThat(link.peer().tryRead(granted.segment(), 0, 10)).isEqualTo(CompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void shouldKeepTheRegionOfARemovedOldSegmentForALease() throws Exception {
        ControlResponse.Locate granted = locate(1, "cars");
        cars.move(state -> {
            state.segmentBaseOffset = 10;
            state.highWatermarkPosition = 5;
        });

        LogEvents.segmentRemoved(segment.identity());

        assertThat(link.slot(granted.slot()).isRevoked())
                .as("the log start offset shows it")
                .isFalse();
        assertThat(link.peer().read(granted.segment(), 0, 10).remaining()).isEqualTo(10);
        awaitWithin(() -> fixture.reads.registeredBytes() == 0);
    }

    @Test
    void shouldGiveNoReaderARegionThatWasWithdrawn() throws Exception {
        ControlResponse.Locate granted = locate(1, "cars");
        cars.move(state -> {
            state.segmentBaseOffset = 10;
            state.highWatermarkPosition = 5;
        });
        LogEvents.segmentRemoved(segment.identity());

        ControlResponse.Locate again = locate(2, "cars");
        assertThat(again.error()).isEqualTo(ControlError.NONE);
        assertThat(again.slot()).isEqualTo(granted.slot());
        assertThat(again.segment().rkey()).isNotEqualTo(granted.segment().rkey());
    }

    @Test
    void shouldRevokeWhenTheSegmentOfTheHighWatermarkIsRemoved() throws Exception {
        ControlResponse.Locate granted = locate(1, "cars");
        LogEvents.segmentRemoved(segment.identity());
        assertThat(link.slot(granted.slot()).isRevoked()).isTrue();
    }

    @Test
    void shouldRefuseASegmentThatWasRemovedWhileItWasRegistered() throws Exception {
        long tables = link.peer().registeredBytes();
        segment.current = false;
        assertThat(locate(1, "cars").error()).isEqualTo(ControlError.NOT_READABLE);
        assertThat(fixture.reads.registeredBytes()).isZero();
        assertThat(link.peer().registeredBytes()).as("slot table and arm table").isEqualTo(tables);
    }

    @Test
    void shouldNotChargeTheBytesOfAFileThatIsNotPinned() throws Exception {
        fixture.serve(cars, new ScriptedSegment(directory, 0, 2 * REGISTERED_BYTES), -1);

        assertThat(locate(1, "cars").error()).isEqualTo(ControlError.NONE);
        assertThat(fixture.reads.registeredBytes()).isEqualTo(PAGE_BYTES);
    }

    @Test
    void shouldRevokeWhatTheAuthorizerNoLongerAllows() throws Exception {
        ControlResponse.Locate granted = locate(1, "cars");
        fixture.denied.put("principal-1", true);

        awaitWithin(() -> link.slot(granted.slot()).isRevoked());
        assertThat(locate(1, "cars").error()).isEqualTo(ControlError.NOT_READABLE);
    }

    /** One topic and one slot; the rights are those of the session that asks, in either order of the sessions. */
    @Test
    void shouldRevokeForOnePrincipalWhatAnotherOfTheLinkMayStillRead() throws Exception {
        for (int denied = 1; denied <= 2; denied++) {
            int allowed = 3 - denied;
            ControlResponse.Locate granted = locate(denied, "cars");
            assertThat(locate(allowed, "cars").slot()).isEqualTo(granted.slot());
            fixture.denied.put("principal-" + denied, true);

            awaitWithin(() -> link.slot(granted.slot()).isRevoked());
            assertThat(locate(denied, "cars").error()).isEqualTo(ControlError.NOT_READABLE);
            awaitWithin(() -> locate(allowed, "cars").error() == ControlError.NONE);
            fixture.denied.clear();
        }
    }

    @Test
    void shouldGrantAnewInANewLeaderEpoch() throws Exception {
        ControlResponse.Locate granted = locate(1, "cars");
        LogEvents.partitionLed(cars.partitionIdentity(), 8);
        cars.leaderEpoch = 8;

        ControlResponse.Locate again = locate(1, "cars");
        assertThat(again.error()).isEqualTo(ControlError.NONE);
        assertThat(link.slot(again.slot()).leaderEpoch()).isEqualTo(8);
        assertThat(link.slot(granted.slot()).isRevoked()).isTrue();
    }

    @Test
    void shouldGiveBackEverythingBeforeTheReadSideIsClosed() throws Exception {
        locate(1, "cars");
        fixture.reads.close();
        assertThat(link.peer().registeredBytes()).isZero();
        cars.move(state -> state.highWatermark = 99);
    }

    @Test
    void shouldBeatWhileOpenAndGiveBackEverythingWhenClosed() throws Exception {
        locate(1, "cars");
        SlotTableHeader header = link.header();
        assertThat(header.isValid()).isTrue();
        assertThat(header.bootId()).isEqualTo(ReadsFixture.BOOT_ID);
        assertThat(header.slotCount()).isEqualTo(SLOTS);
        long first = header.heartbeat();
        awaitWithin(() -> link.header().heartbeat() >= first + 4);

        link.reads().close();
        link.reads().close();
        awaitWithin(() -> link.peer().registeredBytes() == 0);
        assertThat(fixture.reads.registeredBytes()).isZero();
        cars.move(state -> state.highWatermark = 99);
        assertThat(locate(1, "cars").error()).isEqualTo(ControlError.UNKNOWN_HANDLE);
    }
}
