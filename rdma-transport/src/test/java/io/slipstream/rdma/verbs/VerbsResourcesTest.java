// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.slipstream.rdma.Access;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.QueuePair;
import io.slipstream.rdma.QueuePairConfig;
import io.slipstream.rdma.RdmaListener;
import io.slipstream.rdma.WorkCompletion;
import io.slipstream.rdma.WorkRequest;
import io.slipstream.rdma.contract.ConnectedPeers;
import io.slipstream.rdma.contract.Peer;
import io.slipstream.rdma.contract.Rounds;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Resource use of the provider: no allocation per operation, and nothing left behind. */
@NeedsRdmaDevice
@Timeout(2400)
class VerbsResourcesTest {
    private static final int OPERATIONS = Rounds.of(100_000);
    private static final int CYCLES = Rounds.of(10_000);
    private static final int FENCES = Rounds.of(1000);
    private static final int SHORT_DEPTH = 4;

    private VerbsFixture fixture;
    private Peer initiator;
    private Peer target;

    @BeforeEach
    void open() throws Exception {
        fixture = new VerbsFixture();
        initiator = new Peer(fixture.openDevice());
        target = new Peer(fixture.openDevice());
    }

    @AfterEach
    void close() {
        if (target != null) {
            initiator.close();
            target.close();
            fixture.close();
        }
    }

    /** Resources that the kernel and this process hold. */
    private record Holdings(long descriptors, long threads, String rdma) {
        static Holdings now() throws IOException {
            try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
                return new Holdings(descriptors.count(), connectionThreads(), rdmaResources());
            }
        }

        private static long connectionThreads() {
            return Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().startsWith("slipstream-verbs"))
                    .count();
        }

        /** Counts of pd, cq, qp, cm_id, mr, ctx on all devices. */
        private static String rdmaResources() throws IOException {
            Process process = new ProcessBuilder("rdma", "resource", "show").start();
            process.getOutputStream().close();
            process.getErrorStream().close();
            try (InputStream counts = process.getInputStream()) {
                return new String(counts.readAllBytes(), StandardCharsets.UTF_8).strip();
            }
        }
    }

    private static void assertAgain(Holdings before) {
        // The kernel frees the resources of a closed identifier a little later.
        Awaitility.await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            Holdings now = Holdings.now();
            assertThat(now.rdma()).isEqualTo(before.rdma());
            assertThat(now.threads()).isEqualTo(before.threads());
            // The JVM closes some of its own descriptors at any time.
            assertThat(now.descriptors()).isLessThanOrEqualTo(before.descriptors());
        });
    }

    @Test
    void shouldLeaveNothingBehindAfterManyConnections() throws Exception {
        BlockingQueue<QueuePair> accepted = new ArrayBlockingQueue<>(1);
        MemoryRegion region = target.region(4096, Access.REMOTE_WRITE);
        try (RdmaListener listener = target.device.listen(
                ":0", request -> request.accept(shortConfig(target)).thenAccept(accepted::add))) {
            connectAndPart(listener.address(), accepted, region);
            Holdings before = settled();
            System.out.println("before " + CYCLES + " cycles: " + before);
            long startNs = System.nanoTime();
            for (int i = 0; i < CYCLES; i++) {
                connectAndPart(listener.address(), accepted, region);
            }
            System.out.println(
                    CYCLES + " cycles took " + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs) + " ms");
            assertAgain(before);
        }
        assertThat(target.device.registeredBytes()).isEqualTo(target.local.lengthBytes() + region.lengthBytes());
    }

    private static Holdings settled() throws Exception {
        // Settled after three equal looks: one-time resources exist, and those of the first connection are freed.
        Holdings last = Holdings.now();
        long untilNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        int alike = 0;
        while (alike < 3 && System.nanoTime() < untilNs) {
            Holdings next = Holdings.now();
            alike = next.equals(last) ? alike + 1 : 0;
            last = next;
        }
        return last;
    }

    private static QueuePairConfig shortConfig(Peer peer) {
        return peer.config(SHORT_DEPTH, SHORT_DEPTH);
    }

    private void connectAndPart(String address, BlockingQueue<QueuePair> accepted, MemoryRegion region)
            throws Exception {
        initiator.queuePair = initiator
                .device
                .connect(address, shortConfig(initiator), ByteBuffer.allocate(0), TimeUnit.SECONDS.toNanos(10))
                .toCompletableFuture()
                .get();
        target.queuePair = accepted.poll(10, TimeUnit.SECONDS);
        target.postReceives(2);
        initiator.queuePair.post(initiator.request(Opcode.WRITE_WITH_IMM, region, 64));
        initiator.awaitCompletion(Opcode.WRITE_WITH_IMM, CompletionStatus.SUCCESS);
        target.awaitCompletion(Opcode.RECV_WITH_IMM, CompletionStatus.SUCCESS);
        initiator.queuePair.close();
        target.awaitCompletion(Opcode.RECV, CompletionStatus.WR_FLUSH_ERR);
        target.queuePair.close();
    }

    @Test
    void shouldLeaveNothingBehindAfterManyFences() throws Exception {
        ConnectedPeers.connect(fixture, initiator, initiator.config(), target, target.config());
        target.exported(64 * 1024, Access.REMOTE_WRITE).close();
        Holdings before = settled();
        long registered = target.device.registeredBytes();
        for (int i = 0; i < FENCES; i++) {
            MemoryRegion region = target.exported(64 * 1024, Access.REMOTE_WRITE);
            initiator.queuePair.post(initiator.request(Opcode.WRITE, region, 4096));
            initiator.awaitCompletion(Opcode.WRITE, CompletionStatus.SUCCESS);
            assertThat(region.deregister(0)).isTrue();
        }
        assertAgain(before);
        assertThat(target.device.registeredBytes()).isEqualTo(registered);
    }

    @Test
    void shouldLeaveNothingBehindWhenDevicesClose() throws Exception {
        initiator.close();
        target.close();
        fixture.close();
        target = null;
        useEverything();
        Holdings before = settled();
        for (int i = 0; i < 5; i++) {
            useEverything();
        }
        assertAgain(before);
    }

    private static void useEverything() throws Exception {
        try (VerbsFixture own = new VerbsFixture();
                ConnectedPeers peers = new ConnectedPeers(own)) {
            MemoryRegion region = peers.target.exported(4096, Access.REMOTE_WRITE);
            peers.target.postReceives(3);
            peers.initiator.queuePair.post(peers.initiator.request(Opcode.WRITE_WITH_IMM, region, 64));
            peers.initiator.awaitCompletion(Opcode.WRITE_WITH_IMM, CompletionStatus.SUCCESS);
            peers.target.device.listen(":0", request -> {});
            peers.initiator.close();
            peers.target.close();
            assertThat(peers.target.device.registeredBytes()).isZero();
            assertThat(peers.initiator.device.registeredBytes()).isZero();
        }
    }

    @Test
    void shouldAllocateNothingPerOperation() throws Exception {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        ConnectedPeers.connect(fixture, initiator, initiator.config(), target, target.config());
        MemoryRegion memory = target.exported(4096, Access.REMOTE_WRITE, Access.REMOTE_READ);
        WorkCompletion[] completions = {new WorkCompletion(), new WorkCompletion()};
        target.postReceives(1);
        run(memory, completions, OPERATIONS / 5);

        long thread = Thread.currentThread().getId();
        long before = threads.getThreadAllocatedBytes(thread);
        run(memory, completions, OPERATIONS);
        long allocated = threads.getThreadAllocatedBytes(thread) - before;

        // The measurement itself allocates a few hundred bytes.
        assertThat(allocated).isLessThan(Math.max(1000, OPERATIONS / 10));
    }

    /** Each round: a message, a read, an unsignaled write, another read, and arming without sleeping. */
    private void run(MemoryRegion memory, WorkCompletion[] completions, int rounds) {
        long failures = 0;
        for (int i = 0; i < rounds; i++) {
            failures += initiator.queuePair.post(initiator.request(Opcode.WRITE_WITH_IMM, memory, 100));
            failures += await(target, completions);
            failures += target.queuePair.postReceive(i);
            failures += await(initiator, completions);
            failures += initiator.queuePair.post(initiator.request(Opcode.READ, memory, 2048));
            failures += await(initiator, completions);
            WorkRequest unsignaled = initiator.request(Opcode.WRITE, memory, 16);
            unsignaled.signaled = false;
            failures += initiator.queuePair.post(unsignaled);
            failures += initiator.queuePair.post(initiator.request(Opcode.READ, memory, 8));
            initiator.completions.arm();
            failures += await(initiator, completions);
            initiator.completions.acknowledgeEvents();
        }
        if (failures != 0) {
            throw new AssertionError(failures + " operations failed");
        }
    }

    private static int await(Peer peer, WorkCompletion[] completions) {
        int count;
        do {
            count = peer.completions.poll(completions);
        } while (count == 0);
        return count == 1 && completions[0].status == CompletionStatus.SUCCESS ? 0 : 1;
    }
}
