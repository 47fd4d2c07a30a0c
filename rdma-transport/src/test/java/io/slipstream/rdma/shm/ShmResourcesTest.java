// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.slipstream.rdma.Access;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.WorkCompletion;
import io.slipstream.rdma.WorkRequest;
import io.slipstream.rdma.contract.ConnectedPeers;
import io.slipstream.rdma.contract.Peer;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Resource use of the provider: no allocation per operation, and nothing left behind. */
@Timeout(60)
class ShmResourcesTest {
    private static final int OPERATIONS = 100_000;

    private static long openDescriptors() throws Exception {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors.count();
        }
    }

    private static long connectionThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("slipstream-shm"))
                .count();
    }

    private static void useEverything(Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("segment"), "0123456789");
        try (ShmFixture fixture = new ShmFixture();
                ConnectedPeers peers = new ConnectedPeers(fixture)) {
            peers.target.exported(4096, Access.REMOTE_WRITE);
            MemoryRegion readOnly = peers.target.exported(4096, Access.REMOTE_READ);
            MemoryRegion segment = peers.target.domain.registerFile(file, 0, 10);
            peers.target.export(segment);
            peers.initiator.queuePair.post(peers.initiator.request(Opcode.READ, segment, 10));
            peers.initiator.awaitCompletion();
            readOnly.close();
        }
    }

    @Test
    void shouldLeaveNoDescriptorAndNoThreadBehind(@TempDir Path directory) throws Exception {
        useEverything(directory);
        long threadsBefore = connectionThreads();
        long before = openDescriptors();
        for (int i = 0; i < 10; i++) {
            useEverything(directory);
        }
        // A thread ends shortly after its loop reports its end.
        Awaitility.await()
                .atMost(Duration.ofSeconds(5))
                .untilAsserted(() -> assertThat(connectionThreads()).isLessThanOrEqualTo(threadsBefore));
        assertThat(openDescriptors()).isLessThanOrEqualTo(before);
    }

    /** Both ends are in this process, and the reader's end needs one for each region. */
    @Test
    void shouldKeepNoDescriptorOfAFileThatItPassed(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.toRealPath().resolve("segment"), "0123456789");
        try (ShmFixture fixture = new ShmFixture();
                ConnectedPeers peers = new ConnectedPeers(fixture)) {
            MemoryRegion[] regions = new MemoryRegion[5];
            for (int i = 0; i < regions.length; i++) {
                regions[i] = peers.target.domain.registerFile(file, 0, 10);
                peers.target.export(regions[i]);
            }
            Awaitility.await()
                    .atMost(Duration.ofSeconds(10))
                    .untilAsserted(() -> assertThat(descriptorsOf(file)).isEqualTo(regions.length));
            for (MemoryRegion region : regions) {
                peers.initiator.queuePair.post(peers.initiator.request(Opcode.READ, region, 10));
                peers.initiator.awaitCompletion(Opcode.READ, CompletionStatus.SUCCESS);
                region.close();
            }
            Awaitility.await()
                    .atMost(Duration.ofSeconds(10))
                    .untilAsserted(() -> assertThat(descriptorsOf(file)).isZero());
        }
    }

    private static long descriptorsOf(Path file) throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors.filter(each -> leadsTo(each, file)).count();
        }
    }

    private static boolean leadsTo(Path descriptor, Path file) {
        try {
            return Files.readSymbolicLink(descriptor).equals(file);
        } catch (IOException closed) {
            return false;
        }
    }

    @Test
    void shouldLeaveNothingBehindOnOpenDevices() throws Exception {
        try (ShmFixture fixture = new ShmFixture();
                Peer initiator = new Peer(fixture.openDevice());
                Peer target = new Peer(fixture.openDevice())) {
            connectAndPart(fixture, initiator, target);
            long before = openDescriptors();
            for (int i = 0; i < 50; i++) {
                connectAndPart(fixture, initiator, target);
            }
            Awaitility.await()
                    .atMost(Duration.ofSeconds(5))
                    .untilAsserted(() -> assertThat(openDescriptors()).isLessThanOrEqualTo(before));
            assertThat(target.device.registeredBytes()).isEqualTo(target.local.lengthBytes());
        }
    }

    private static void connectAndPart(ShmFixture fixture, Peer initiator, Peer target) throws Exception {
        ConnectedPeers.connect(fixture, initiator, initiator.config(), target, target.config());
        MemoryRegion region = target.exported(4096, Access.REMOTE_WRITE);
        initiator.queuePair.close();
        target.awaitError();
        assertThat(region.deregister(5_000_000_000L)).isTrue();
        target.queuePair.close();
    }

    @Test
    void shouldAllocateNothingPerOperation(@TempDir Path directory) throws Exception {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        Path file = Files.write(directory.resolve("segment"), new byte[8192]);
        try (ShmFixture fixture = new ShmFixture();
                ConnectedPeers peers = new ConnectedPeers(fixture)) {
            MemoryRegion memory = peers.target.exported(4096, Access.REMOTE_WRITE, Access.REMOTE_READ);
            MemoryRegion segment = peers.target.domain.registerFile(file, 0, 8192);
            peers.target.export(segment);
            WorkCompletion[] completions = {new WorkCompletion(), new WorkCompletion()};
            peers.target.postReceives(1);
            run(peers, memory, segment, completions, 20_000);

            long thread = Thread.currentThread().getId();
            long before = threads.getThreadAllocatedBytes(thread);
            run(peers, memory, segment, completions, OPERATIONS);
            long allocated = threads.getThreadAllocatedBytes(thread) - before;

            // The measurement itself allocates a few hundred bytes.
            assertThat(allocated).isLessThan(OPERATIONS / 10);
        }
    }

    /** Each round: a message, a read of a file, a read of memory, and arming without sleeping. */
    private static void run(
            ConnectedPeers peers, MemoryRegion memory, MemoryRegion segment, WorkCompletion[] completions, int rounds) {
        int failures = 0;
        for (int i = 0; i < rounds; i++) {
            WorkRequest request = peers.initiator.request(Opcode.WRITE_WITH_IMM, memory, 100);
            failures += peers.initiator.queuePair.post(request) == 0 ? 0 : 1;
            failures += peers.target.completions.poll(completions) == 1 ? 0 : 1;
            failures += peers.target.queuePair.postReceive(i) == 0 ? 0 : 1;
            peers.initiator.queuePair.post(peers.initiator.request(Opcode.READ, segment, 2048));
            failures += peers.initiator.completions.poll(completions) == 2 ? 0 : 1;
            peers.initiator.queuePair.post(peers.initiator.request(Opcode.READ, memory, 8));
            peers.initiator.completions.arm();
            failures += peers.initiator.completions.poll(completions) == 1 ? 0 : 1;
            peers.initiator.completions.acknowledgeEvents();
        }
        if (failures != 0) {
            throw new AssertionError(failures + " operations failed");
        }
    }
}
