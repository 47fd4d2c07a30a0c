// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import io.slipstream.rdma.Access;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.WorkRequest;
import io.slipstream.rdma.contract.CompletionStatusContract;
import io.slipstream.rdma.contract.ConnectedPeers;
import io.slipstream.rdma.contract.Peer;
import io.slipstream.rdma.contract.ProviderFixture;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The contract, and two stricter rules of shm: grants hold per queue pair, and the end of a file is exact to the byte.
 */
class ShmCompletionStatusTest extends CompletionStatusContract {
    @Override
    protected ProviderFixture openFixture() throws Exception {
        return new ShmFixture();
    }

    @Test
    void shouldRefuseARegionThatWasNotExported() throws Exception {
        MemoryRegion secret = target.region(64, Access.REMOTE_READ);
        assertFails(initiator.request(Opcode.READ, secret, 8), CompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void shouldRefuseARegionThatWasExportedToAnotherPeer() throws Exception {
        MemoryRegion granted = target.exported(64, Access.REMOTE_READ);
        try (Peer stranger = new Peer(fixture.openDevice())) {
            var first = target.queuePair;
            ConnectedPeers.connect(fixture, stranger, stranger.config(), target, target.config());
            target.queuePair = first;
            WorkRequest read = stranger.request(Opcode.READ, granted, 8);
            stranger.queuePair.post(read);
            stranger.awaitCompletion(Opcode.READ, CompletionStatus.REM_ACCESS_ERR);
        }
    }

    @Test
    void shouldRefuseToReadBeyondTheEndOfAFile(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("segment"), "some bytes");
        MemoryRegion remote = target.domain.registerFile(file, 0, 1000);
        target.export(remote);
        assertFails(initiator.request(Opcode.READ, remote, 11), CompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void shouldRefuseToReadATruncatedFile(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("segment"), "some bytes");
        MemoryRegion remote = target.domain.registerFile(file, 0, 10);
        target.export(remote);
        initiator.queuePair.post(initiator.request(Opcode.READ, remote, 10));
        initiator.awaitCompletion(Opcode.READ, CompletionStatus.SUCCESS);
        try (RandomAccessFile truncated = new RandomAccessFile(file.toFile(), "rw")) {
            truncated.setLength(5);
        }
        assertFails(initiator.request(Opcode.READ, remote, 10), CompletionStatus.REM_ACCESS_ERR);
    }
}
