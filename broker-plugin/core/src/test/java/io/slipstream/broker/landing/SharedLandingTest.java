package io.slipstream.broker.landing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.broker.metrics.PluginMeters;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.ring.LandedBatches;
import io.slipstream.protocol.ring.PlaceWord;
import io.slipstream.rdma.ProtectionDomain;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who appends when, and what becomes of those whose turn never comes. */
@Timeout(30)
class SharedLandingTest {
    private static final int START = MemorySegment.START;
    /** Longer than any test takes. */
    private static final long NEVER_NS = TimeUnit.SECONDS.toNanos(60);

    private final PluginMeters counters = new PluginMeters();
    private final ScheduledExecutorService others = Executors.newSingleThreadScheduledExecutor();
    private MemorySegment memory;
    private SharedLandings table;
    private SharedLanding landing;
    private ByteBuffer word;
    private SharedGrant first;
    private SharedGrant second;

    @BeforeEach
    void begin() {
        begin(NEVER_NS);
    }

    private void begin(long releaseNs) {
        memory = new MemorySegment();
        table = new SharedLandings(new MemorySegment.Logs(), new LandingConfig(4096, 1, releaseNs), counters, null);
        landing = new SharedLanding(table, memory.log, memory.segment);
        word = ByteBuffer.allocateDirect(8).order(ByteOrder.LITTLE_ENDIAN);
        first = grant();
        second = grant();
        table.add(landing);
        landing.grown(START + 4096);
        landing.reserveIn(new ReservationWord(new MemorySegment.Region(word)));
        for (SharedGrant grant : List.of(first, second)) {
            grant.extend(memory.window());
            landing.join(grant);
            grant.link().landings().put(grant);
            assertThat(grant.begin()).isEqualTo(START);
        }
    }

    @AfterEach
    void end() throws Exception {
        endLanding();
        others.shutdownNow();
    }

    private void endLanding() throws InterruptedException {
        first.drain(false);
        second.drain(false);
        table.close();
        assertThat(landing.ended()).isDone();
        assertThat(table.isIdle()).isTrue();
        assertThat(first.link().landings().get(first.id())).isNull();
    }

    @Test
    void shouldHandBackWhatWaitedWhenAllBeforeItWasAppended() {
        long earlier = reserve(100);
        long later = reserve(50);
        Request two = announce(second, later, 50);
        Request one = announce(first, earlier, 100);

        assertThat(two.mayBeHandled()).isFalse();
        assertThat(one.mayBeHandled()).isTrue();
        one.append();
        assertThat(two.handedBack).isEqualTo(1);
        assertThat(two.mayBeHandled()).isTrue();
        two.append();

        assertThat(memory.segment.sizeBytes()).isEqualTo(START + 150);
        assertThat(counters.get(PluginMeter.BATCHES_COMMITTED_IN_PLACE)).isEqualTo(2);
        assertThat(link(first).revoked).isEmpty();
    }

    @Test
    void shouldHaveTheBrokersOwnAppendTakeATurn() throws Exception {
        long earlier = reserve(100);
        CompletableFuture<Integer> appended = new CompletableFuture<>();
        others.execute(() -> appended.complete(appendAsBroker(30)));
        while (counters.get(PluginMeter.TURNS_RESERVED) == 0) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
        assertThat(appended).isNotDone();
        Request one = announce(first, earlier, 100);
        assertThat(one.mayBeHandled()).isTrue();
        one.append();

        assertThat(appended.get(20, TimeUnit.SECONDS)).isEqualTo(START + 100);
        Request next = announce(second, reserve(50), 50);
        assertThat(next.mayBeHandled()).isTrue();
        next.append();
        assertThat(memory.segment.sizeBytes()).isEqualTo(START + 180);
    }

    @Test
    void shouldGiveUpAHoleAndAppendWhatWaitedBehindIt() throws Exception {
        endLanding();
        begin(TimeUnit.MILLISECONDS.toNanos(100));
        reserve(100);
        Request behind = announce(second, reserve(50), 50);
        assertThat(behind.mayBeHandled()).isFalse();

        awaitRevoked();
        first.drain(false);
        assertThat(behind.handedBack).as("while a proxy may still write").isZero();
        second.drain(false);
        behind.awaitHandedBack();

        assertThat(landing.ended()).as("what was copied comes first").isNotDone();
        assertThat(behind.mayBeHandled()).isTrue();
        assertThat(behind.batches.isDetached()).isTrue();
        assertThat(behind.batches.next(50).getInt(8)).isEqualTo(38);
        behind.batches.finish();
        landing.ended().get(20, TimeUnit.SECONDS);
        assertThat(memory.segment.trims).isEqualTo(1);
        assertThat(counters.get(PluginMeter.LANDING_HOLES)).isEqualTo(1);
    }

    @Test
    void shouldGiveUpWhenABatchIsRefused() {
        long refused = reserve(100);
        Request behind = announce(second, reserve(50), 50);
        Request one = announce(first, refused, 100);
        assertThat(one.mayBeHandled()).isTrue();
        assertThat(behind.mayBeHandled()).isFalse();

        one.batches.finish();

        assertThat(link(first).revoked).isNotEmpty();
        assertThat(link(second).revoked).isNotEmpty();
        first.drain(false);
        second.drain(false);
        behind.awaitHandedBack();
        assertThat(behind.mayBeHandled()).isTrue();
        behind.batches.finish();
    }

    /** Else what its connection sends next by the ring would be appended before it. */
    @Test
    void shouldLeaveInItsConnectionsOrderWhatComesBehindARequestThatWaits() {
        Request behind = announce(second, reserve(50), 50);

        assertThat(behind.batches.arrives(behind, true)).isFalse();

        assertThat(behind.batches.waitsWithItsSession()).as("met again at once").isTrue();
        assertThat(behind.batches.isDetached()).isTrue();
        assertThat(link(first).revoked).isNotEmpty();
        first.drain(false);
        second.drain(false);
        assertThat(behind.handedBack).isZero();
        assertThat(landing.ended()).succeedsWithin(20, TimeUnit.SECONDS);
        assertThat(behind.batches.next(50).getInt(8)).isEqualTo(38);
        behind.batches.finish();
    }

    @Test
    void shouldNotMissOneWhoLeavesWithNothingReserved() {
        Request one = announce(first, reserve(100), 100);
        assertThat(one.mayBeHandled()).isTrue();
        one.append();
        first.drain(false);
        Request two = announce(second, reserve(50), 50);
        assertThat(two.mayBeHandled()).isTrue();
        two.append();

        assertThat(link(second).revoked).isEmpty();
    }

    @Test
    void shouldNotWaitForAHoleThatItWasToldOf() {
        reserve(100);
        Request behind = announce(second, reserve(50), 50);
        assertThat(behind.mayBeHandled()).isFalse();
        first.drain(true);

        assertThat(link(second).revoked).isNotEmpty();
        second.drain(false);
        behind.awaitHandedBack();
        behind.batches.finish();
    }

    @Test
    void shouldNoticeThatMoreIsReservedThanThereIsRoomFor() {
        reserve(5000);
        first.drain(false);

        assertThat(link(second).revoked).isNotEmpty();
        assertThat(PlaceWord.position(reserve(1))).isGreaterThan(Integer.MAX_VALUE);
    }

    @Test
    void shouldCutTheLinkOfWhoAnnouncesWhatIsNotReserved() {
        Request one = announce(first, reserve(100), 100);
        assertThat(one.mayBeHandled()).isTrue();
        Request liar = announce(second, START, 100);

        assertThat(liar.mayBeHandled()).isFalse();
        assertThat(link(second).abandoned).contains("not reserved");
        assertThat(liar.batches.waitsWithItsSession()).as("to be refused").isTrue();
        one.append();
    }

    @Test
    void shouldLeaveToOthersOnlyTheirTurn() {
        Request one = announce(first, reserve(100), 100);
        assertThat(one.mayBeHandled()).isTrue();
        CompletableFuture<Throwable> failure = CompletableFuture.supplyAsync(
                () -> {
                    try {
                        table.append(memory.segment.identity(), ByteBuffer.allocateDirect(100));
                        return null;
                    } catch (IllegalStateException e) {
                        return e;
                    }
                },
                others);

        assertThat(failure.join()).hasMessageContaining("send again");
        one.append();
    }

    @Test
    void shouldNotLetAnAppendOutgrowItsPlace() {
        Turn turn = landing.enter(30);

        assertThatThrownBy(() -> table.append(memory.segment.identity(), ByteBuffer.allocateDirect(31)))
                .hasMessageContaining("larger than its place");
        turn.finish();
    }

    @Test
    void shouldLeaveAloneWhoAppendedBeforeAnythingWasPlaced() {
        SharedLanding prepared = new SharedLanding(table, new MemorySegment().log, memory.segment);
        Turn before = prepared.enter(30);
        table.remove(landing);
        table.add(prepared);
        prepared.close(SharedLanding.Reason.CHANGE);

        assertThat(table.append(memory.segment.identity(), ByteBuffer.allocateDirect(30)))
                .as("left to the broker")
                .isZero();
        before.finish();
    }

    /** As when retention looks at a log that was only prepared: nobody needs to wait, and an owner of a link could not. */
    @Test
    void shouldNotKeepAnybodyWhileWhatWasOnlyPreparedIsUndone() {
        SharedLanding prepared = new SharedLanding(table, new MemorySegment().log, memory.segment);
        SharedGrant grant = new SharedGrant(prepared, first.link(), 99, new MemorySegment.Region(word));
        prepared.join(grant);
        synchronized (prepared) {
            prepared.close(SharedLanding.Reason.CHANGE);
            assertThat(prepared.state()).isEqualTo(SharedLanding.State.CLOSING);

            Turn turn = prepared.enter(30);
            assertThat(turn.isBefore()).isTrue();
            turn.finish();
        }
    }

    /** Others append at hundreds of megabytes a second until the first link has begun. */
    @Test
    void shouldRefuseAWindowThatIsFullBeforeAnybodyHasBegun(@TempDir Path directory) throws Exception {
        MemorySegment filling = new MemorySegment();
        filling.segment.path = Files.createFile(directory.resolve("filling"));
        SharedLandings others =
                new SharedLandings(new MemorySegment.Logs(), new LandingConfig(1 << 20, 1, NEVER_NS), counters, null);
        filling.segment.sizeBytes = START;
        filling.segment.whenPrepared = () -> filling.segment.sizeBytes = START + (2 << 20);

        ControlResponse answer = others.prepare(
                        first.link().landings(),
                        first.link(),
                        filling.log,
                        new ControlRequest.PrepareLanding(1, 1, Uuid.ZERO_UUID, "t", 0))
                .get(20, TimeUnit.SECONDS);

        assertThat(answer.error()).isEqualTo(ControlError.LIMIT);
        assertThat(answer.message()).contains("window is full");
        others.close();
        assertThat(others.isIdle()).isTrue();
    }

    private int appendAsBroker(int lengthBytes) {
        Turn turn = landing.enter(lengthBytes);
        int position = memory.segment.sizeBytes();
        assertThat(table.append(memory.segment.identity(), ByteBuffer.allocateDirect(lengthBytes)))
                .isZero();
        memory.segment.commit(lengthBytes);
        turn.finish();
        return position;
    }

    private void awaitRevoked() throws InterruptedException {
        while (link(first).revoked.isEmpty() || link(second).revoked.isEmpty()) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    /** As a proxy does. */
    private long reserve(int lengthBytes) {
        long value = word.getLong(0);
        word.putLong(0, value + PlaceWord.addend(lengthBytes));
        return value;
    }

    private Request announce(SharedGrant grant, long reserved, int lengthBytes) {
        int position = (int) PlaceWord.position(reserved);
        memory.fill(position, lengthBytes, (byte) 1);
        ByteBuffer payload = ByteBuffer.allocate(LandedBatches.bytes(1)).order(ByteOrder.LITTLE_ENDIAN);
        LandedBatches.encodeHeader(payload, 0, 1, 0);
        LandedBatches.encodeBatch(payload, 0, 0, grant.id(), position, lengthBytes, PlaceWord.order(reserved));
        return new Request(grant.link(), AnnouncedBatches.take(grant.link().landings(), payload), lengthBytes);
    }

    private static MemorySegment.Link link(SharedGrant grant) {
        return (MemorySegment.Link) grant.link();
    }

    private SharedGrant grant() {
        LinkLandings landings = new LinkLandings(notPinning(), null);
        return new SharedGrant(
                landing, new MemorySegment.Link(landings), landings.freeId(), new MemorySegment.Region(word));
    }

    private static ProtectionDomain notPinning() {
        return (ProtectionDomain) Proxy.newProxyInstance(
                ProtectionDomain.class.getClassLoader(),
                new Class<?>[] {ProtectionDomain.class},
                (domain, method, arguments) -> false);
    }

    /** A request that announced one batch; the test's thread owns its link. */
    private final class Request implements RingAppend {
        private final LandingLink link;
        private final AnnouncedBatches batches;
        private final int lengthBytes;
        private final List<Turn> taken = new ArrayList<>();
        private volatile int handedBack;

        Request(LandingLink link, AnnouncedBatches batches, int lengthBytes) {
            this.link = link;
            this.batches = batches;
            this.lengthBytes = lengthBytes;
        }

        boolean mayBeHandled() {
            return batches.arrives(this, false);
        }

        /** As the broker appends it, and then lets go of it. */
        void append() {
            ByteBuffer batch = batches.next(lengthBytes);
            assertThat(table.append(memory.segment.identity(), batch)).isEqualTo(lengthBytes);
            batches.finish();
        }

        void awaitHandedBack() {
            while (handedBack == 0) {
                Thread.onSpinWait();
            }
        }

        @Override
        public Turn turn() {
            return null;
        }

        @Override
        public void takeTurn(Turn turn) {
            taken.add(turn);
        }

        @Override
        public LandingLink link() {
            return link;
        }

        @Override
        public void handBack() {
            handedBack++;
        }
    }
}
