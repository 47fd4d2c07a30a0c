// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.broker.session.BoundSession;
import io.slipstream.broker.session.ObservedConnection;
import io.slipstream.broker.session.SessionLifetime;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.slot.SlotView;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Grants follow a change that no hook reports, or that only one of several links reports. */
class GrantChangesTest {
    private static final Duration DEADLINE = Duration.ofSeconds(10);

    private final ReadsFixture fixture = new ReadsFixture(4, 1 << 20);
    private final ScriptedLog cars = new ScriptedLog("cars");
    private final List<Boolean> revokedAtDoorbell = new ArrayList<>();
    private ReadsFixture.Link link;
    private ControlResponse.Locate granted;

    @TempDir
    private Path directory;

    @BeforeEach
    void grant() throws Exception {
        fixture.serve(cars, new ScriptedSegment(directory, 0, 1000), -1);
        link = fixture.link(slot -> revokedAtDoorbell.add(link.slot(slot).isRevoked()));
        granted = link.locate(ReadsFixture.session(1), "cars");
        assertThat(granted.error()).isEqualTo(ControlError.NONE);
    }

    @AfterEach
    void close() throws Exception {
        fixture.close();
    }

    @Test
    void shouldNotGrantASlotOfAnOlderEpochThatNoHookRevoked() throws Exception {
        ReadableLog led = inEpoch(8);
        fixture.outcomes.put("cars", new Located(led, new ScriptedSegment(directory, 0, 1000), 0, 0, -1));

        ControlResponse.Locate again = link.locate(ReadsFixture.session(2), "cars");
        assertThat(link.slot(again.slot()).leaderEpoch()).isEqualTo(8);
        assertThat(link.slot(granted.slot()).isRevoked()).isTrue();
    }

    /** The same log, as a broker shows it that leads it in another epoch. */
    private ReadableLog inEpoch(int leaderEpoch) {
        return (ReadableLog) Proxy.newProxyInstance(
                ReadableLog.class.getClassLoader(),
                new Class<?>[] {ReadableLog.class},
                (proxy, method, arguments) ->
                        method.getName().equals("leaderEpoch") ? leaderEpoch : method.invoke(cars, arguments));
    }

    @Test
    void shouldGoOnPublishingToTheOtherLinksWhenOneLeaves() throws Exception {
        ReadsFixture.Link second = fixture.link(slot -> {});
        ReadsFixture.Link third = fixture.link(slot -> {});
        ControlResponse.Locate there = second.locate(ReadsFixture.session(1), "cars");
        ControlResponse.Locate elsewhere = third.locate(ReadsFixture.session(1), "cars");

        link.reads().releaseSlot(new ControlRequest.ReleaseSlot(1, 1, granted.slot(), granted.generation()));
        await().pollInSameThread().atMost(DEADLINE).until(() -> slot().isRevoked());
        cars.move(state -> state.highWatermark = 20);

        assertThat(second.slot(there.slot()).highWatermark()).isEqualTo(20);
        assertThat(third.slot(elsewhere.slot()).highWatermark()).isEqualTo(20);
        assertThat(slot().highWatermark()).as("the one that left").isEqualTo(10);
    }

    private SlotView slot() {
        return link.slot(granted.slot());
    }

    @Test
    void shouldRevokeWhenThePositionGoesBackWithinTheSegment() {
        cars.move(state -> state.highWatermarkPosition = 999);
        assertThat(slot().isRevoked()).isTrue();
    }

    @Test
    void shouldShowTheRevocationToTheReaderThatItsDoorbellWakes() {
        link.arm(granted.slot());
        LogEvents.revoked(cars.partitionIdentity(), "becomes follower");
        assertThat(revokedAtDoorbell).containsExactly(true);
    }

    @Test
    void shouldRevokeForEachSessionThatMayNoLongerRead() throws Exception {
        for (int denied = 1; denied <= 2; denied++) {
            link.locate(ReadsFixture.session(1), "cars");
            ControlResponse.Locate shared = link.locate(ReadsFixture.session(2), "cars");
            assertThat(link.slot(shared.slot()).isRevoked()).isFalse();
            fixture.denied.put("principal-" + denied, true);
            await().pollInSameThread()
                    .atMost(DEADLINE)
                    .until(() -> link.slot(shared.slot()).isRevoked());
            fixture.denied.clear();
        }
    }

    @Test
    void shouldAskWhetherAnAuthenticationWillSoonHaveExpired() throws Exception {
        AtomicLong mostAheadNs = new AtomicLong(Long.MIN_VALUE);
        SessionLifetime lifetime = new SessionLifetime() {
            @Override
            public boolean isOver(long nowNs) {
                mostAheadNs.accumulateAndGet(nowNs - System.nanoTime(), Math::max);
                return false;
            }

            @Override
            public Object current(Object requestContext) {
                return requestContext;
            }
        };
        ObservedConnection connection =
                new ObservedConnection("connection-3", "", "PLAINTEXT", "User:alice", true, "principal-3");
        link.locate(new BoundSession(1, 3, connection, lifetime), "cars");

        // What the request itself asked does not count.
        mostAheadNs.set(Long.MIN_VALUE);
        await().atMost(DEADLINE).until(() -> mostAheadNs.get() > TimeUnit.MILLISECONDS.toNanos(1));
    }
}
