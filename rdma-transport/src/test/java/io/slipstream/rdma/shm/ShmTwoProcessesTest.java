// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.rdma.Access;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.DeviceConfig;
import io.slipstream.rdma.LocalPeers;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.QueuePair;
import io.slipstream.rdma.QueuePairConfig;
import io.slipstream.rdma.RdmaListener;
import io.slipstream.rdma.WorkRequest;
import io.slipstream.rdma.contract.ForkedPeer;
import io.slipstream.rdma.contract.Peer;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that need two processes: death, the fence of a process at full speed. */
@Timeout(120)
class ShmTwoProcessesTest {
    private static final int FENCE_ROUNDS = 100;
    private static final int OTHER_USER = 54321;

    private final BlockingQueue<QueuePair> accepted = new ArrayBlockingQueue<>(16);
    private ShmFixture fixture;
    private Peer peer;
    private RdmaListener listener;

    @BeforeEach
    void listen() throws Exception {
        fixture = new ShmFixture();
        peer = new Peer(fixture.openDevice());
        listen(peer.config());
    }

    private void listen(QueuePairConfig config) throws Exception {
        listener = peer.device.listen(
                fixture.unusedAddress(), request -> request.accept(config).thenAccept(accepted::add));
    }

    @AfterEach
    void close() throws Exception {
        peer.close();
        fixture.close();
    }

    private void awaitPeer() throws InterruptedException {
        peer.queuePair = accepted.poll(20, TimeUnit.SECONDS);
        assertThat(peer.queuePair).as("the forked peer's connection").isNotNull();
    }

    @Test
    void shouldWorkBetweenProcesses() throws Exception {
        try (ForkedPeer forked = ForkedPeer.start("shm", "echo", listener.address())) {
            exchange(forked);
        }
    }

    @Test
    void shouldWorkBetweenUsersThatAllowEachOther() throws Exception {
        assumeOtherUser();
        listenFor(List.of(Integer.toString(OTHER_USER)));
        try (ForkedPeer forked = ForkedPeer.startAs(OTHER_USER, "shm", "echo", listener.address())) {
            exchange(forked);
        }
    }

    @Test
    void shouldRefuseAUserThatIsNotNamed() throws Exception {
        assumeOtherUser();
        listenFor(List.of());
        try (ForkedPeer forked = ForkedPeer.startAs(OTHER_USER, "shm", "echo", listener.address())) {
            Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> !forked.isAlive());
            assertThat(accepted).isEmpty();
        }
    }

    private static void assumeOtherUser() {
        Assumptions.assumeTrue("root".equals(System.getProperty("user.name")), "only root can become another user");
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/setpriv")), "setpriv");
    }

    /** On a socket that every user can open. */
    private void listenFor(List<String> users) throws Exception {
        listener.close();
        peer.close();
        LocalPeers peers = LocalPeers.of(users, "rw-rw-rw-", "");
        peer = new Peer(new ShmProvider().open(new DeviceConfig(null, 0, -1, 3, 6, peers)));
        listen(peer.config());
        Files.setPosixFilePermissions(
                Path.of(listener.address()).getParent(), PosixFilePermissions.fromString("rwx--x--x"));
    }

    private void exchange(ForkedPeer forked) throws Exception {
        WorkRequest write = meetEcho();
        for (int i = 1; i <= 1000; i++) {
            peer.local.buffer().putLong(0, i);
            write.opcode = Opcode.WRITE_WITH_IMM;
            write.imm = i;
            peer.queuePair.post(write);
            peer.awaitCompletion(Opcode.WRITE_WITH_IMM, CompletionStatus.SUCCESS);
            assertThat(peer.awaitCompletion(Opcode.RECV_WITH_IMM, CompletionStatus.SUCCESS).imm)
                    .isEqualTo(i + 1);
            peer.postReceives(1);
            write.opcode = Opcode.READ;
            peer.queuePair.post(write);
            peer.awaitCompletion(Opcode.READ, CompletionStatus.SUCCESS);
            assertThat(peer.local.buffer().getLong(0)).isEqualTo(2L * i);
        }
        assertThat(forked.isAlive()).isTrue();
    }

    private WorkRequest meetEcho() throws Exception {
        awaitPeer();
        WorkRequest request = peer.hear(Opcode.WRITE, 8);
        peer.postReceives(4);
        return request;
    }

    @Test
    void shouldNoticeAKilledPeerAtOnce() throws Exception {
        try (ForkedPeer forked = ForkedPeer.start("shm", "echo", listener.address())) {
            WorkRequest write = meetEcho();
            peer.queuePair.post(write);
            peer.awaitCompletion(Opcode.WRITE, CompletionStatus.SUCCESS);
            MemoryRegion exported = peer.exported(4096, Access.REMOTE_WRITE);

            long killedNs = System.nanoTime();
            forked.kill();
            peer.awaitError();
            for (int i = 0; i < 4; i++) {
                peer.awaitCompletion(Opcode.RECV, CompletionStatus.WR_FLUSH_ERR);
            }
            peer.awaitDisconnect();
            long noticedNs = System.nanoTime();

            assertThat(noticedNs - killedNs).isLessThan(TimeUnit.SECONDS.toNanos(1));
            assertThat(peer.disconnects).hasValue(1);
            assertThat(exported.deregister(0)).as("nobody is left to wait for").isTrue();
        }
    }

    @Test
    void shouldFailHeldRequestsOfAKilledPeer() throws Exception {
        try (ForkedPeer forked = ForkedPeer.start("shm", "hammer", listener.address())) {
            awaitPeer();
            // The peer posts receives for these messages only, so the next requests are held.
            MemoryRegion region = peer.exported(ForkedPeer.HAMMER_BYTES, Access.REMOTE_WRITE);
            peer.tell(region);
            peer.queuePair.post(peer.request(Opcode.WRITE_WITH_IMM, null, 0));
            peer.queuePair.post(peer.request(Opcode.WRITE_WITH_IMM, null, 0));
            forked.kill();
            peer.awaitError();
            peer.awaitCompletion(Opcode.WRITE_WITH_IMM, CompletionStatus.RETRY_EXC_ERR);
            peer.awaitCompletion(Opcode.WRITE_WITH_IMM, CompletionStatus.WR_FLUSH_ERR);
            peer.assertNoCompletion();
        }
    }

    @Test
    void shouldFenceAWriterAtFullSpeed() throws Exception {
        long seed = Long.getLong("slipstream.seed", System.nanoTime());
        System.out.println("fence test, seed " + seed);
        Random random = new Random(seed);
        List<Fenced> fenced = new ArrayList<>();
        try (ForkedPeer forked = ForkedPeer.start("shm", "hammer", listener.address())) {
            for (int round = 0; round < FENCE_ROUNDS; round++) {
                awaitPeer();
                MemoryRegion region = peer.exported(ForkedPeer.HAMMER_BYTES, Access.REMOTE_WRITE);
                peer.tell(region);
                awaitWrites(region);
                long untilNs = System.nanoTime() + random.nextInt(300_000);
                while (System.nanoTime() < untilNs) {
                    Thread.onSpinWait();
                }

                assertThat(region.deregister(TimeUnit.SECONDS.toNanos(5))).isTrue();

                fenced.add(new Fenced(region, checksum(region), System.nanoTime()));
                assertThat(forked.awaitLine()).isEqualTo(CompletionStatus.REM_ACCESS_ERR.name());
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
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (buffer.getLong(ForkedPeer.HAMMER_BYTES - 8) < 3) {
            assertThat(System.nanoTime()).isLessThan(deadlineNs);
            Thread.onSpinWait();
        }
    }

    /**
     * The writer is stopped inside a copy, so the fence cannot succeed. The region stays accounted for until the writer
     * continues or dies.
     */
    @ParameterizedTest
    @ValueSource(strings = {"resumed", "killed"})
    void shouldNotFenceAWriterThatWasStoppedInACopy(String then) throws Exception {
        try (ForkedPeer forked = ForkedPeer.start("shm", "copier", listener.address())) {
            MemoryRegion region = stoppedInACopy(forked);

            assertThat(region.isRegistered()).isFalse();
            assertThat(region.deregister(0)).isFalse();
            assertThat(peer.domain.registeredBytes()).isEqualTo(peer.local.lengthBytes() + ForkedPeer.LONG_COPY_BYTES);
            if (then.equals("killed")) {
                forked.kill();
            } else {
                forked.resume();
                // Its current copy ends; the next one finds the region revoked.
                assertThat(forked.awaitLine()).isEqualTo(CompletionStatus.REM_ACCESS_ERR.name());
            }
            peer.awaitError();
            Awaitility.await()
                    .atMost(Duration.ofSeconds(10))
                    .until(() -> peer.domain.registeredBytes() == peer.local.lengthBytes());
            assertThat(region.deregister(0)).isTrue();
        }
    }

    /** The writer may be stopped between two copies. Then the fence succeeds, and the test tries again. */
    private MemoryRegion stoppedInACopy(ForkedPeer forked) throws Exception {
        for (int attempt = 0; attempt < 10; attempt++) {
            awaitPeer();
            MemoryRegion region = peer.exported(ForkedPeer.LONG_COPY_BYTES, Access.REMOTE_WRITE);
            peer.tell(region);
            awaitCopies(region);
            forked.pause();
            if (!region.deregister(TimeUnit.MILLISECONDS.toNanos(100))) {
                return region;
            }
            forked.resume();
            assertThat(forked.awaitLine()).isEqualTo(CompletionStatus.REM_ACCESS_ERR.name());
            peer.queuePair.close();
        }
        throw new AssertionError("never stopped in a copy");
    }

    private static void awaitCopies(MemoryRegion region) {
        ByteBuffer buffer = region.buffer();
        Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .until(() -> buffer.getLong(ForkedPeer.LONG_COPY_BYTES - 8) >= 2);
    }

    private static long checksum(MemoryRegion region) {
        CRC32C checksum = new CRC32C();
        checksum.update(region.buffer());
        return checksum.getValue();
    }
}
