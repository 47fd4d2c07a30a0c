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

/** Requests that wait for a receive or for room, and places that must be free again. */
@Timeout(60)
class ShmHeldRequestsTest {
    private static final int SEND_BYTES = InboxLayout.MAX_SEND_BYTES;
    private static final int MESSAGES = InboxLayout.PAYLOAD_RING_BYTES / SEND_BYTES;
    private static final int DEPTH = 2 * MESSAGES;

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

    private void postReceives(int count) {
        for (int i = 0; i < count; i++) {
            assertThat(target.queuePair.postReceive(i, target.local.lkey(), target.local.address(), SEND_BYTES))
                    .isEqualTo(PostStatus.POSTED);
        }
    }

    private void send(int bytes, int value) {
        for (int i = 0; i < bytes; i++) {
            initiator.local.buffer().put(i, (byte) value);
        }
        assertThat(initiator.queuePair.post(initiator.request(Opcode.SEND, null, bytes)))
                .isEqualTo(PostStatus.POSTED);
    }

    private void assertReceived(int bytes, int value) {
        assertThat(target.awaitCompletion(Opcode.RECV, CompletionStatus.SUCCESS).byteLen)
                .isEqualTo(bytes);
        for (int i = 0; i < bytes; i++) {
            assertThat(target.local.buffer().get(i)).isEqualTo((byte) value);
        }
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

    /** A message that does not fit before the ring's end begins anew, and skips the bytes before the end. */
    @Test
    void shouldNotOverwriteAMessageWhenTheNextOneSkipsToTheBeginning() {
        postReceives(MESSAGES + 1);
        send(8, 1);
        for (int i = 1; i < MESSAGES; i++) {
            send(SEND_BYTES, 1 + i);
        }
        assertReceived(8, 1);
        send(SEND_BYTES, 99);
        for (int i = 1; i < MESSAGES; i++) {
            assertReceived(SEND_BYTES, 1 + i);
        }
        // The last one waited for room: it goes when this side polls.
        for (int i = 0; i <= MESSAGES; i++) {
            initiator.awaitCompletion(Opcode.SEND, CompletionStatus.SUCCESS);
        }
        assertReceived(SEND_BYTES, 99);
    }

    @Test
    void shouldWakeASenderWhenAMessageIsConsumed() throws Exception {
        postReceives(MESSAGES + 1);
        for (int i = 0; i < MESSAGES; i++) {
            send(SEND_BYTES, i);
            initiator.awaitCompletion(Opcode.SEND, CompletionStatus.SUCCESS);
        }
        try (Sleeper sleeper = new Sleeper(initiator.completions)) {
            send(SEND_BYTES, 99);
            initiator.completions.arm();
            initiator.assertNoCompletion();
            target.awaitCompletion(Opcode.RECV, CompletionStatus.SUCCESS);
            long beganNs = System.nanoTime();
            assertThat(sleeper.sleep(10_000)).isTrue();
            assertThat(System.nanoTime() - beganNs)
                    .as("woken by the target, not to give up")
                    .isLessThan(TimeUnit.MILLISECONDS.toNanos(900));
            initiator.completions.acknowledgeEvents();
            initiator.awaitCompletion(Opcode.SEND, CompletionStatus.SUCCESS);
        }
    }

    @Test
    void shouldHearAQueuePairBesideABusyOne() throws Exception {
        try (Peer second = new Peer(fixture.openDevice())) {
            var busy = target.queuePair;
            ConnectedPeers.connect(fixture, second, second.config(), target, target.config());
            var quiet = target.queuePair;
            quiet.postReceive(0, target.local.lkey(), target.local.address(), 0);
            busy.postReceive(0, target.local.lkey(), target.local.address(), 0);
            ring();
            second.queuePair.post(second.request(Opcode.WRITE_WITH_IMM, null, 0));
            boolean heard = false;
            for (int i = 0; i < 20 && !heard; i++) {
                // The busy one always has the next message ready.
                busy.postReceive(0, target.local.lkey(), target.local.address(), 0);
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
