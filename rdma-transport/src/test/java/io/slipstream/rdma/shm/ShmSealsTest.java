// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.unix.FileDescriptor;
import io.slipstream.rdma.Access;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.QueuePairState;
import io.slipstream.rdma.contract.ConnectedPeers;
import io.slipstream.rdma.contract.Peer;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Attacks by a hostile process with the descriptors that it was given. It cannot change the size of shared memory or
 * write read-only memory. Nothing unsealed of a peer is mapped.
 */
@Timeout(60)
class ShmSealsTest {
    /** No other memory has this size, so it is found by its size. */
    private static final int REGION_BYTES = 5 * 4096;

    private ShmFixture fixture;
    private ConnectedPeers peers;
    /** Connects, as a proxy does. */
    private Peer proxy;

    private Peer broker;

    @BeforeEach
    void connect() throws Exception {
        fixture = new ShmFixture();
        peers = new ConnectedPeers(fixture);
        proxy = peers.initiator;
        broker = peers.target;
    }

    @AfterEach
    void close() throws Exception {
        peers.close();
        fixture.close();
    }

    private void assertConnected() {
        assertThat(broker.queuePair.state()).isEqualTo(QueuePairState.CONNECTED);
        assertThat(proxy.queuePair.state()).isEqualTo(QueuePairState.CONNECTED);
    }

    @Test
    void shouldKeepAPeerFromChangingTheSizeOfWhatItMayWrite() throws Exception {
        MemoryRegion ring = broker.exported(REGION_BYTES, Access.REMOTE_WRITE);

        assertSizeIsFixed(REGION_BYTES);

        proxy.queuePair.post(proxy.request(Opcode.WRITE, ring, 8));
        proxy.awaitCompletion(Opcode.WRITE, CompletionStatus.SUCCESS);
        assertConnected();
    }

    @Test
    void shouldKeepAPeerFromChangingTheSizeOfAnInbox() throws Exception {
        assertSizeIsFixed(SharedFiles.inboxBytes(Peer.DEPTH));
        assertConnected();
    }

    private static void assertSizeIsFixed(long sizeBytes) throws IOException {
        SharedFiles.attack(sizeBytes, file -> {
            assertThatThrownBy(() -> file.setLength(0)).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> file.setLength(sizeBytes - 1)).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> file.setLength(sizeBytes + 4096)).isInstanceOf(IOException.class);
            assertThat(file.length()).isEqualTo(sizeBytes);
        });
    }

    /** Like the slot table: a process of the same user can open any passed descriptor for writing, but cannot write. */
    @Test
    void shouldKeepAPeerFromWritingWhatItMayOnlyRead() throws Exception {
        MemoryRegion slots = broker.exported(REGION_BYTES, Access.REMOTE_READ);
        slots.buffer().putLong(0, 42);

        SharedFiles.attack(REGION_BYTES, file -> {
            assertThatThrownBy(() -> file.write(7)).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, REGION_BYTES))
                    .isInstanceOf(IOException.class);
        });

        slots.buffer().putLong(8, 43);
        proxy.queuePair.post(proxy.request(Opcode.READ, slots, 16));
        proxy.awaitCompletion(Opcode.READ, CompletionStatus.SUCCESS);
        assertThat(proxy.local.buffer().getLong(0)).isEqualTo(42);
        assertThat(proxy.local.buffer().getLong(8)).as("the owner goes on").isEqualTo(43);
        assertConnected();
    }

    @Test
    void shouldKeepAPeerFromWritingASegmentByItsRegion(@TempDir Path directory) throws Exception {
        Path segment = Files.write(directory.resolve("00000000.log"), new byte[REGION_BYTES]);
        MemoryRegion region = broker.domain.registerFile(segment, 0, REGION_BYTES);
        broker.export(region);

        proxy.queuePair.post(proxy.request(Opcode.WRITE, region, 8));

        proxy.awaitCompletion(Opcode.WRITE, CompletionStatus.REM_ACCESS_ERR);
        assertThat(Files.readAllBytes(segment)).containsOnly(0);
    }

    @Test
    void shouldMapOnlySealedMemory(@TempDir Path directory) throws Exception {
        Path unsealed = Files.write(directory.resolve("memory"), new byte[REGION_BYTES]);
        try (RandomAccessFile file = new RandomAccessFile(unsealed.toFile(), "rw");
                RandomAccessFile sealable = Seals.create()) {
            sealable.setLength(REGION_BYTES);
            for (RandomAccessFile each : new RandomAccessFile[] {file, sealable}) {
                FileDescriptor passed = new FileDescriptor(Descriptors.numberOf(each));
                assertThatThrownBy(() -> SharedMemory.map(passed, true, REGION_BYTES))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("sealed, so the peer could truncate it");
            }
        }
    }
}
