// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.rdma.Access;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.PostStatus;
import io.slipstream.rdma.WorkCompletion;
import io.slipstream.rdma.WorkRequest;
import io.slipstream.rdma.contract.ConnectedPeers;
import io.slipstream.rdma.contract.Peer;
import io.slipstream.rdma.contract.Sleeper;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.opentest4j.TestAbortedException;

/** Requests that wait for a receive, and places that must be free again. */
@Timeout(60)
class ShmHeldRequestsTest {
    private static final int DEPTH = 32;

    private ShmFixture fixture;
    private Peer initiator;
    private Peer target;

    @BeforeEach
    void connect() throws Exception {
        fixture = new ShmFixture();
        initiator = new Peer(fixture.openDevice());
        target = new Peer(fixture.openDevice());
        ConnectedPeers.connect(fixture, initiator, initiator.config(DEPTH, DEPTH), target, target.config(DEPTH, DEPTH));
    }

    @AfterEach
    void close() throws Exception {
        initiator.close();
        target.close();
        fixture.close();
    }

    @Test
    void shouldFreeThePlaceOfAnUnsignaledRequestThatHadToWait() {
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < DEPTH; i++) {
                WorkRequest bell = initiator.request(Opcode.WRITE_WITH_IMM, null, 0);
                bell.signaled = false;
                assertThat(initiator.queuePair.post(bell)).isEqualTo(PostStatus.POSTED);
            }
            target.postReceives(DEPTH);
            initiator.assertNoCompletion(); // the poll goes on with what waits
            for (int i = 0; i < DEPTH; i++) {
                target.awaitCompletion(Opcode.RECV_WITH_IMM, CompletionStatus.SUCCESS);
            }
        }
    }

    @Test
    void shouldBePatientAnewAfterEachRequestThatCouldGoOn() throws Exception {
        // A busy machine may pause this thread beyond the bound, which proves nothing.
        for (int attempt = 0; attempt < 10; attempt++) {
            if (isPatientAnew()) {
                return;
            }
            close();
            connect();
        }
        throw new TestAbortedException("this thread paused each time");
    }

    /** Returns false if this thread paused too long to tell. */
    private boolean isPatientAnew() {
        initiator.queuePair.post(initiator.request(Opcode.WRITE_WITH_IMM, null, 0));
        initiator.queuePair.post(initiator.request(Opcode.WRITE_WITH_IMM, null, 0));
        long beganNs = System.nanoTime();
        long boundNs = ShmSendQueue.RECEIVER_NOT_READY_BOUND_NS;
        if (!isQuiet(beganNs + boundNs * 7 / 10, beganNs + boundNs * 9 / 10)) {
            return false;
        }
        target.postReceives(1);
        CompletionStatus first = initiator.awaitCompletion().status;
        long progressNs = System.nanoTime();
        if (progressNs - beganNs >= boundNs) {
            return false;
        }
        assertThat(first).isEqualTo(CompletionStatus.SUCCESS);
        if (!isQuiet(beganNs + boundNs * 12 / 10, progressNs + boundNs * 9 / 10)) {
            return false;
        }
        target.postReceives(1);
        initiator.awaitCompletion(Opcode.WRITE_WITH_IMM, CompletionStatus.SUCCESS);
        return true;
    }

    /** Polls until then, and finds nothing. Returns false if this thread paused until {@code tooLateNs}. */
    private boolean isQuiet(long untilNs, long tooLateNs) {
        WorkCompletion[] completions = {new WorkCompletion()};
        while (System.nanoTime() - untilNs < 0) {
            int polled = initiator.completions.poll(completions);
            if (System.nanoTime() - tooLateNs >= 0) {
                return false;
            }
            assertThat(polled).isZero();
        }
        return System.nanoTime() - tooLateNs < 0;
    }

    @Test
    void shouldWakeASenderWhenAReceiveIsPosted() throws Exception {
        try (Sleeper sleeper = new Sleeper(initiator.completions)) {
            ring();
            initiator.completions.arm();
            initiator.assertNoCompletion();
            target.postReceives(1);
            long beganNs = System.nanoTime();
            assertThat(sleeper.sleep(10_000)).isTrue();
            assertThat(System.nanoTime() - beganNs)
                    .as("woken by the target, not to give up")
                    .isLessThan(TimeUnit.MILLISECONDS.toNanos(900));
            initiator.completions.acknowledgeEvents();
            initiator.awaitCompletion(Opcode.WRITE_WITH_IMM, CompletionStatus.SUCCESS);
        }
    }

    @Test
    void shouldHearAQueuePairBesideABusyOne() throws Exception {
        try (Peer second = new Peer(fixture.openDevice())) {
            var busy = target.queuePair;
            ConnectedPeers.connect(fixture, second, second.config(), target, target.config());
            var quiet = target.queuePair;
            quiet.postReceive(0);
            busy.postReceive(0);
            ring();
            second.queuePair.post(second.request(Opcode.WRITE_WITH_IMM, null, 0));
            boolean heard = false;
            for (int i = 0; i < 20 && !heard; i++) {
                // The busy one always has the next message ready.
                busy.postReceive(0);
                ring();
                heard = target.awaitCompletion().qpNumber == quiet.number();
            }
            assertThat(heard).isTrue();
        }
    }

    private void ring() {
        initiator.queuePair.post(initiator.request(Opcode.WRITE_WITH_IMM, null, 0));
    }

    @Test
    void shouldKeepNoPlaceForRegionsThatCouldNotBeExported() throws Exception {
        MemoryRegion gone = target.region(64);
        gone.close();
        for (int i = 0; i <= InboxLayout.MAX_EXPORTS; i++) {
            boolean refused = false;
            try {
                target.export(gone);
            } catch (ExecutionException | IllegalStateException | IllegalArgumentException e) {
                refused = true;
            }
            assertThat(refused).isTrue();
        }
        target.exported(64, Access.REMOTE_READ);
    }
}
