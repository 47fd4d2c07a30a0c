// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.rdma.Access;
import io.slipstream.rdma.CompletionQueue;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.ProtectionDomain;
import io.slipstream.rdma.QueuePair;
import io.slipstream.rdma.QueuePairConfig;
import io.slipstream.rdma.WorkCompletion;
import io.slipstream.rdma.WorkRequest;
import io.slipstream.simulation.Host;
import io.slipstream.simulation.SimulatedFiles;
import io.slipstream.simulation.SimulatedFiles.SimulatedFile;
import io.slipstream.simulation.SimulatedMemory;
import io.slipstream.simulation.World;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The parts of the provider contract on written files and memory of several domains that a world supports. */
class SimulatedRegionTest {
    private static final Path FILE = Path.of("/simulated/00000000.log");

    private final World world = new World(7, false);
    private final Fabric fabric = new Fabric(world, 50, 1, false);
    private final SimulatedDevice target = new SimulatedDevice(fabric, new Host("target"));
    private final SimulatedDevice initiator = new SimulatedDevice(fabric, new Host("initiator"));
    private final SimulatedFile file = SimulatedFiles.create(FILE, 16_384, this);
    private final WorkCompletion[] completions = {new WorkCompletion()};

    @AfterEach
    void close() {
        initiator.close();
        target.close();
        SimulatedFiles.remove(FILE);
        SimulatedMemory.free(file.address, file.capacityBytes);
    }

    /** A connection whose target has its own domain. */
    private final class Link {
        final ProtectionDomain domain = target.createProtectionDomain();
        private final ProtectionDomain ownDomain = initiator.createProtectionDomain();
        private final CompletionQueue queue = initiator.createCompletionQueue(16);
        final MemoryRegion local = allocated(ownDomain, Set.of());
        private final QueuePair queuePair;
        private final CompletableFuture<QueuePair> accepted = new CompletableFuture<>();

        Link() {
            target.listen(
                    "there",
                    request -> request.accept(config(domain, target.createCompletionQueue(16)))
                            .thenAccept(accepted::complete));
            CompletableFuture<QueuePair> connected = initiator
                    .connect("there", config(ownDomain, queue), ByteBuffer.allocate(0), 1)
                    .toCompletableFuture();
            world.runUntil(world.nowNs() + 1_000_000_000);
            queuePair = connected.getNow(null);
        }

        private static QueuePairConfig config(ProtectionDomain domain, CompletionQueue queue) {
            return new QueuePairConfig(domain, queue, 16, 16, (ended, reason) -> {});
        }

        void export(MemoryRegion region) {
            CompletableFuture<Void> exported =
                    accepted.getNow(null).export(region).toCompletableFuture();
            world.runUntil(world.nowNs() + 1_000_000_000);
            assertThat(exported).isCompleted();
        }

        CompletionStatus carryOut(Opcode opcode, MemoryRegion region, long offset, int length) {
            WorkRequest request = new WorkRequest();
            request.opcode = opcode;
            request.signaled = true;
            request.rkey = region.rkey();
            request.remoteAddress = region.address() + offset;
            request.addSegment(local.lkey(), local.address(), length);
            assertThat(queuePair.post(request)).isZero();
            world.runUntil(world.nowNs() + 1_000_000_000);
            assertThat(queue.poll(completions)).isOne();
            return completions[0].status;
        }
    }

    private static MemoryRegion allocated(ProtectionDomain domain, Set<Access> access) {
        try {
            return domain.allocate(4096, access);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldRead() throws Exception {
        Link link = new Link();
        Set<Access> readable = Set.of(Access.REMOTE_READ);
        MemoryRegion word = link.domain.allocate(64, readable);
        link.export(word);
        word.buffer().putLong(0, 10);
        assertThat(link.carryOut(Opcode.READ, word, 0, 8)).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(link.local.buffer().getLong(0)).isEqualTo(10);
        word.close();
        assertThat(link.domain.allocate(64, readable).address())
                .as("given back")
                .isEqualTo(word.address());
    }

    @Test
    void shouldNotReadMemoryThatIsOnlyWritten() throws Exception {
        Link link = new Link();
        MemoryRegion written = link.domain.allocate(64, Set.of(Access.REMOTE_WRITE));
        link.export(written);
        assertThat(link.carryOut(Opcode.READ, written, 0, 8)).isEqualTo(CompletionStatus.REM_ACCESS_ERR);
    }
}
