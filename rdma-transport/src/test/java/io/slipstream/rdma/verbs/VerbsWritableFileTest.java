// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.contract.ProviderFixture;
import io.slipstream.rdma.contract.WritableFileContract;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

@NeedsRdmaDevice
class VerbsWritableFileTest extends WritableFileContract {
    @Override
    protected ProviderFixture openFixture() throws Exception {
        return new VerbsFixture();
    }

    /** Linux 6.1 registers it, and then the file system knows nothing of what was written. */
    @Test
    void shouldRefuseAFileOnDiskWithTheReason() throws Exception {
        Path onDisk = Files.write(Path.of("/disk/00000000.log"), new byte[8192]);
        assertThat(target.device.probe(Path.of("/disk")).remoteWrite()).isFalse();
        assertThatThrownBy(() -> target.domain.registerFileForWriting(onDisk, 0, 4096))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("/disk/00000000.log cannot be written by the device: /disk is on ext4: ");
        assertThat(target.domain.registeredBytes()).isEqualTo(target.local.lengthBytes());
        Files.delete(onDisk);
    }

    /** Nothing faults: the device keeps the pages, which belong to no file any more. */
    @Test
    void shouldWriteOnWhereTheFileWasCut() throws Exception {
        MemoryRegion window = window(4096, 4096);
        try (RandomAccessFile cut = new RandomAccessFile(file.toFile(), "rw")) {
            cut.setLength(4096);
        }
        write(initiator, window, 0, 8, 'a');
        assertThat(Files.size(file)).isEqualTo(4096);
        assertThat(window.deregister(0)).isTrue();
    }

    /** The one file system into which a device may write. */
    @Override
    protected Path parentDirectory() {
        return Path.of("/dev/shm");
    }
}
