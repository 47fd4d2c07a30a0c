// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.rdma.Access;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.PostStatus;
import io.slipstream.rdma.WorkCompletion;
import io.slipstream.rdma.WorkRequest;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Bounded queues that are full, empty, or closed while in use. */
@Timeout(60)
public abstract class FlowControlContract {
    protected abstract ProviderFixture openFixture() throws Exception;

    private ProviderFixture fixture;
    private ConnectedPeers peers;
    private Peer initiator;
    private Peer target;

    @BeforeEach
    void connect() throws Exception {
        fixture = openFixture();
        peers = new ConnectedPeers(fixture);
        initiator = peers.initiator;
        target = peers.target;
    }

    @AfterEach
    void disconnect() throws Exception {
        peers.close();
        fixture.close();
    }

    private void ring(int imm) {
        WorkRequest bell = initiator.request(Opcode.WRITE_WITH_IMM, null, 0);
        bell.wrId = imm;
        bell.imm = imm;
        assertThat(initiator.queuePair.post(bell)).isEqualTo(PostStatus.POSTED);
    }

    @Test
    void shouldRefuseRequestsBeyondTheSendDepth() throws Exception {
        MemoryRegion remote = target.exported(64, Access.REMOTE_WRITE);
        for (int i = 0; i < Peer.DEPTH; i++) {
            assertThat(initiator.queuePair.post(initiator.request(Opcode.WRITE, remote, 8)))
                    .isEqualTo(PostStatus.POSTED);
        }
        assertThat(initiator.queuePair.post(initiator.request(Opcode.WRITE, remote, 8)))
                .isEqualTo(PostStatus.QUEUE_FULL);

        initiator.awaitCompletion(Opcode.WRITE, CompletionStatus.SUCCESS);

        assertThat(initiator.queuePair.post(initiator.request(Opcode.WRITE, remote, 8)))
                .isEqualTo(PostStatus.POSTED);
        for (int i = 0; i < Peer.DEPTH; i++) {
            initiator.awaitCompletion(Opcode.WRITE, CompletionStatus.SUCCESS);
        }
        initiator.assertNoCompletion();
    }

    @Test
    void shouldRefuseReceivesBeyondTheReceiveDepth() {
        target.postReceives(Peer.DEPTH);
        assertThat(target.queuePair.postReceive(99)).isEqualTo(PostStatus.QUEUE_FULL);
    }

    @Test
    void shouldHoldRequestsUntilTheTargetPostsReceives() throws Exception {
        MemoryRegion remote = target.exported(64, Access.REMOTE_WRITE);
        target.postReceives(1);
        for (int i = 1; i <= 5; i++) {
            ring(i);
        }
        // A plain write behind held requests must not overtake them.
        initiator.local.buffer().put(0, (byte) 1);
        initiator.queuePair.post(initiator.request(Opcode.WRITE, remote, 8));
        initiator.awaitCompletion(Opcode.WRITE_WITH_IMM, CompletionStatus.SUCCESS);
        initiator.assertNoCompletion();
        assertThat(remote.buffer().get(0)).isZero();
        assertThat(target.awaitCompletion().imm).isEqualTo(1);
        target.assertNoCompletion();

        target.postReceives(4);

        for (int i = 2; i <= 5; i++) {
            WorkCompletion sent = initiator.awaitCompletion(Opcode.WRITE_WITH_IMM, CompletionStatus.SUCCESS);
            assertThat(sent.wrId).isEqualTo(i);
            assertThat(target.awaitCompletion(Opcode.RECV_WITH_IMM, CompletionStatus.SUCCESS).imm)
                    .isEqualTo(i);
        }
        initiator.awaitCompletion(Opcode.WRITE, CompletionStatus.SUCCESS);
        assertThat(remote.buffer().get(0)).isEqualTo((byte) 1);
    }

    /** A READ, which needs no receive, waits behind requests that do, and sees what the target did until then. */
    @Test
    void shouldNotLetAReadOvertakeHeldRequests() throws Exception {
        MemoryRegion remote = target.exported(64, Access.REMOTE_READ);
        target.postReceives(1);
        for (int i = 1; i <= 3; i++) {
            ring(i);
        }
        initiator.awaitCompletion(Opcode.WRITE_WITH_IMM, CompletionStatus.SUCCESS);
        assertThat(initiator.queuePair.post(initiator.request(Opcode.READ, remote, Long.BYTES)))
                .isEqualTo(PostStatus.POSTED);
        initiator.assertNoCompletion();
        target.awaitCompletion(Opcode.RECV_WITH_IMM, CompletionStatus.SUCCESS);
        remote.buffer().putLong(0, 7);

        target.postReceives(2);

        for (int i = 0; i < 2; i++) {
            initiator.awaitCompletion(Opcode.WRITE_WITH_IMM, CompletionStatus.SUCCESS);
            target.awaitCompletion(Opcode.RECV_WITH_IMM, CompletionStatus.SUCCESS);
        }
        initiator.awaitCompletion(Opcode.READ, CompletionStatus.SUCCESS);
        assertThat(initiator.local.buffer().getLong(0)).isEqualTo(7);
    }

    @Test
    void shouldGiveUpWhenTheTargetNeverPostsReceives() {
        ring(1);
        ring(2);

        assertThat(initiator.awaitCompletion(Opcode.WRITE_WITH_IMM, CompletionStatus.RNR_RETRY_EXC_ERR).wrId)
                .isEqualTo(1);
        assertThat(initiator.awaitCompletion(Opcode.WRITE_WITH_IMM, CompletionStatus.WR_FLUSH_ERR).wrId)
                .isEqualTo(2);
        initiator.awaitError();
        target.awaitError();
        assertThat(initiator.device.counters().failures(CompletionStatus.RNR_RETRY_EXC_ERR))
                .isEqualTo(1);
    }

    @Test
    void shouldFailHeldRequestsWhenThePeerLeaves() throws Exception {
        ring(1);
        ring(2);
        target.close();

        initiator.awaitError();
        WorkCompletion oldest = initiator.awaitCompletion();
        assertThat(oldest.wrId).isEqualTo(1);
        assertThat(oldest.status).isIn(CompletionStatus.RETRY_EXC_ERR, CompletionStatus.WR_FLUSH_ERR);
        assertThat(initiator.awaitCompletion(Opcode.WRITE_WITH_IMM, CompletionStatus.WR_FLUSH_ERR).wrId)
                .isEqualTo(2);
        initiator.assertNoCompletion();
    }

    @Test
    void shouldDeliverFairlyFromSeveralQueuePairs() throws Exception {
        try (Peer second = new Peer(fixture.openDevice())) {
            var first = target.queuePair;
            ConnectedPeers.connect(fixture, second, second.config(), target, target.config());
            var other = target.queuePair;
            for (int i = 0; i < Peer.DEPTH; i++) {
                first.postReceive(i);
                other.postReceive(i);
            }
            for (int i = 0; i < Peer.DEPTH; i++) {
                ring(i);
            }
            second.queuePair.post(second.request(Opcode.WRITE_WITH_IMM, null, 0));
            target.queuePair = first;

            boolean heardSecond = false;
            for (int i = 0; i < 1 + Peer.DEPTH && !heardSecond; i++) {
                heardSecond = target.awaitCompletion().qpNumber == other.number();
            }
            assertThat(heardSecond).isTrue();
        }
    }

    @RepeatedTest(20)
    void shouldSurviveBeingClosedDuringTraffic() throws Exception {
        MemoryRegion remote = target.exported(1 << 20, Access.REMOTE_WRITE, Access.REMOTE_READ);
        AtomicLong posted = new AtomicLong();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        CountDownLatch running = new CountDownLatch(1);
        Thread owner = new Thread(() -> {
            try {
                WorkCompletion[] completions = {new WorkCompletion(), new WorkCompletion()};
                long deadlineNs = System.nanoTime() + Peer.DEADLINE_NS;
                long status = PostStatus.POSTED;
                while (status != PostStatus.NOT_CONNECTED && System.nanoTime() < deadlineNs) {
                    WorkRequest request =
                            initiator.request((posted.get() & 1) == 0 ? Opcode.WRITE : Opcode.READ, remote, 64 * 1024);
                    status = initiator.queuePair.post(request);
                    initiator.completions.poll(completions);
                    if (posted.incrementAndGet() == 50) {
                        running.countDown();
                    }
                }
                assertThat(status).isEqualTo(PostStatus.NOT_CONNECTED);
            } catch (Throwable e) {
                failure.set(e);
                running.countDown();
            }
        });
        owner.start();
        assertThat(running.await(Peer.DEADLINE_NS, TimeUnit.NANOSECONDS)).isTrue();

        if (posted.get() % 2 == 0) {
            target.device.close();
        } else {
            initiator.queuePair.close();
            remote.close();
        }

        owner.join(TimeUnit.NANOSECONDS.toMillis(Peer.DEADLINE_NS));
        assertThat(owner.isAlive()).isFalse();
        assertThat(failure.get()).isNull();
    }

    @Test
    void shouldGiveEverythingBackWhenClosed() throws Exception {
        target.exported(4096, Access.REMOTE_WRITE);
        target.device.close();
        initiator.device.close();
        assertThat(target.device.registeredBytes()).isZero();
        assertThat(initiator.device.registeredBytes()).isZero();
        target.device.close();
    }
}
