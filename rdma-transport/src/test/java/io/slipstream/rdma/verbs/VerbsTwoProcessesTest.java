// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.rdma.Access;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.QueuePair;
import io.slipstream.rdma.QueuePairState;
import io.slipstream.rdma.WorkCompletion;
import io.slipstream.rdma.WorkRequest;
import io.slipstream.rdma.contract.ForkedPeer;
import io.slipstream.rdma.contract.Peer;
import io.slipstream.rdma.contract.Rounds;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two real processes: traffic, death, a stopped peer, and the fence against a writer at full speed. */
@NeedsRdmaDevice
@Timeout(300)
class VerbsTwoProcessesTest {
    private static final int FENCE_ROUNDS = Rounds.of(100);
    private static final int RECEIVES = 4;
    private static final long NOTICED_NS = TimeUnit.SECONDS.toNanos(10);

    private final BlockingQueue<QueuePair> accepted = new ArrayBlockingQueue<>(16);
    private VerbsFixture fixture;
    private Peer peer;
    private String address;

    @BeforeEach
    void listen() throws Exception {
        fixture = new VerbsFixture();
        peer = new Peer(fixture.openDevice());
        address = peer.device
                .listen(":0", request -> request.accept(peer.config()).thenAccept(accepted::add))
                .address();
    }

    @AfterEach
    void close() {
        peer.close();
        fixture.close();
    }

    private void awaitPeer() throws InterruptedException {
        peer.queuePair = accepted.poll(120, TimeUnit.SECONDS);
        assertThat(peer.queuePair).as("the forked peer's connection").isNotNull();
    }

    private WorkRequest meetEcho() throws Exception {
        awaitPeer();
        WorkRequest request = peer.hear(Opcode.WRITE, 8);
        peer.postReceives(RECEIVES);
        return request;
    }

    private void play(WorkRequest request, int round) {
        peer.local.buffer().putLong(0, round);
        request.opcode = Opcode.WRITE_WITH_IMM;
        request.imm = round;
        peer.queuePair.post(request);
        Set<Opcode> completed = EnumSet.noneOf(Opcode.class);
        // The reply may overtake the acknowledgement of its request.
        while (completed.size() < 2) {
            WorkCompletion completion = peer.awaitCompletion();
            assertThat(completion.status).as(completion.toString()).isEqualTo(CompletionStatus.SUCCESS);
            assertThat(completed.add(completion.opcode))
                    .as(completion.toString())
                    .isTrue();
            if (completion.opcode == Opcode.RECV_WITH_IMM) {
                assertThat(completion.imm).isEqualTo(round + 1);
            }
        }
        assertThat(completed).containsExactlyInAnyOrder(Opcode.WRITE_WITH_IMM, Opcode.RECV_WITH_IMM);
        peer.postReceives(1);
        request.opcode = Opcode.READ;
        peer.queuePair.post(request);
        peer.awaitCompletion(Opcode.READ, CompletionStatus.SUCCESS);
        assertThat(peer.local.buffer().getLong(0)).isEqualTo(2L * round);
    }

    @Test
    void shouldWorkBetweenProcessesAlsoAfterOneStoodStillAndNoticeItsDeath() throws Exception {
        try (ForkedPeer forked = ForkedPeer.start("verbs", "echo", address)) {
            WorkRequest request = meetEcho();
            for (int i = 1; i <= Rounds.of(1000); i++) {
                play(request, i);
            }

            forked.pause();
            // Its memory needs no process: the device answers, so the connection survives.
            long untilNs = System.nanoTime() + 3 * VerbsDevice.KEEP_ALIVE_INTERVAL_NS;
            while (System.nanoTime() < untilNs) {
                request.opcode = Opcode.READ;
                peer.queuePair.post(request);
                peer.awaitCompletion(Opcode.READ, CompletionStatus.SUCCESS);
            }
            forked.resume();

            play(request, 7);
            assertThat(peer.queuePair.state()).isEqualTo(QueuePairState.CONNECTED);
            kill(forked);
        }
    }

    private void kill(ForkedPeer forked) throws Exception {
        MemoryRegion exported = peer.exported(4096, Access.REMOTE_WRITE);

        long killedNs = System.nanoTime();
        forked.kill();
        peer.awaitError();
        for (int i = 0; i < RECEIVES; i++) {
            peer.awaitCompletion(Opcode.RECV, CompletionStatus.WR_FLUSH_ERR);
        }
        peer.awaitDisconnect();

        assertThat(System.nanoTime() - killedNs).isLessThan(NOTICED_NS);
        assertThat(peer.disconnects).hasValue(1);
        assertThat(exported.deregister(0)).isTrue();
    }

    /** After the fence no byte changes, and the writer's connection breaks. */
    @Test
    void shouldFenceAWriterAtFullSpeed() throws Exception {
        long seed = Long.getLong("slipstream.seed", System.nanoTime());
        System.out.println("fence test, seed " + seed);
        Random random = new Random(seed);
        List<Fenced> fenced = new ArrayList<>();
        try (ForkedPeer forked = ForkedPeer.start("verbs", "hammer", address)) {
            for (int round = 0; round < FENCE_ROUNDS; round++) {
                awaitPeer();
                MemoryRegion region = peer.exported(ForkedPeer.HAMMER_BYTES, Access.REMOTE_WRITE);
                peer.tell(region);
                awaitWrites(region);
                long untilNs = System.nanoTime() + random.nextInt(3_000_000);
                while (System.nanoTime() < untilNs) {
                    Thread.onSpinWait();
                }

                assertThat(region.deregister(0)).isTrue();

                fenced.add(new Fenced(region, checksum(region), System.nanoTime()));
                assertThat(forked.awaitLine())
                        .isIn(CompletionStatus.REM_ACCESS_ERR.name(), CompletionStatus.WR_FLUSH_ERR.name());
                peer.awaitError();
                peer.queuePair.close();
            }
            for (Fenced one : fenced) {
                while (System.nanoTime() - one.sinceNs() < TimeUnit.MILLISECONDS.toNanos(100)) {
                    Thread.onSpinWait();
                }
                assertThat(checksum(one.region())).isEqualTo(one.checksum());
            }
        }
        assertThat(peer.domain.registeredBytes()).isEqualTo(peer.local.lengthBytes());
    }

    private record Fenced(MemoryRegion region, long checksum, long sinceNs) {}

    private static void awaitWrites(MemoryRegion region) {
        ByteBuffer buffer = region.buffer();
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (buffer.getLong(ForkedPeer.HAMMER_BYTES - 8) < 3) {
            assertThat(System.nanoTime()).isLessThan(deadlineNs);
            Thread.onSpinWait();
        }
    }

    private static long checksum(MemoryRegion region) {
        CRC32C checksum = new CRC32C();
        checksum.update(region.buffer());
        return checksum.getValue();
    }
}
