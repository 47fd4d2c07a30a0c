// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.BufferUtil;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Natives that need no device. */
class NativeMemoryTest {
    private static final int PAGE_BYTES = 64 << 10;

    @TempDir
    private Path directory;

    private NativeVerbs natives;

    @BeforeEach
    void load() {
        assumeTrue(
                NativeLibrary.unavailableReason().isEmpty(),
                () -> NativeLibrary.unavailableReason().orElseThrow());
        natives = NativeLibrary.natives();
    }

    @Test
    void shouldAllocateZeroedMemoryThatBuffersCanBeLaidOver() throws IOException {
        long address = natives.allocate(3 * PAGE_BYTES);
        ByteBuffer all = natives.bufferAt(address, 3 * PAGE_BYTES);

        assertThat(address % 4096).isZero();
        assertThat(all.capacity()).isEqualTo(3 * PAGE_BYTES);
        assertThat(all.mismatch(ByteBuffer.allocate(3 * PAGE_BYTES))).isEqualTo(-1);
        natives.bufferAt(address + PAGE_BYTES, 8).putLong(0, 42);
        assertThat(all.getLong(PAGE_BYTES)).isEqualTo(42);
        assertThat(BufferUtil.address(all)).isEqualTo(address);
        assertThat(BufferUtil.address(all.slice(100, 10))).isEqualTo(address + 100);

        natives.unmap(address, 3 * PAGE_BYTES);
    }

    @Test
    void shouldSayWhichSizeCannotBeAllocated() {
        assertThatThrownBy(() -> natives.allocate(0))
                .isInstanceOf(IOException.class)
                .hasMessage("mmap: EINVAL (Invalid argument)");
        assertThatThrownBy(() -> natives.allocate(Long.MAX_VALUE))
                .isInstanceOf(IOException.class)
                .hasMessage("mmap: ENOMEM (Cannot allocate memory)");
    }

    @Test
    void shouldRefuseABufferOfNegativeLength() {
        assertThatThrownBy(() -> natives.bufferAt(4096, -1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldShareAPartOfAFile() throws IOException {
        Path file = Files.write(directory.resolve("fäil"), new byte[2 * PAGE_BYTES]);

        long address = natives.mapFile(file.toString(), PAGE_BYTES, PAGE_BYTES, true);
        natives.bufferAt(address, PAGE_BYTES).put(5, (byte) 7);
        natives.unmap(address, PAGE_BYTES);

        assertThat(Files.readAllBytes(file)[PAGE_BYTES + 5]).isEqualTo((byte) 7);
        long readOnly = natives.mapFile(file.toString(), 0, 2 * PAGE_BYTES, false);
        assertThat(natives.bufferAt(readOnly, 2 * PAGE_BYTES).get(PAGE_BYTES + 5))
                .isEqualTo((byte) 7);
        natives.unmap(readOnly, 2 * PAGE_BYTES);
    }

    @Test
    void shouldNameFunctionErrorAndFileOfAFailedMapping() throws IOException {
        String file = Files.write(directory.resolve("file"), new byte[10]).toString();
        String missing = directory.resolve("missing").toString();

        assertThatThrownBy(() -> natives.mapFile(missing, 0, 4096, false))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("open: ENOENT (No such file or directory): " + missing);
        assertThatThrownBy(() -> natives.mapFile(file, 1, 4096, false))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("mmap: EINVAL (Invalid argument): " + file);
        assertThatThrownBy(() -> natives.mapFile(file, 0, 0, false)).hasMessageStartingWith("mmap: EINVAL");
        assertThatThrownBy(() -> natives.mapFile(directory.toString(), 0, 4096, true))
                .hasMessageStartingWith("open: EISDIR");
        assertThatThrownBy(() -> natives.mapFile("a\0b", 0, 4096, false)).isInstanceOf(IllegalArgumentException.class);
    }
}
