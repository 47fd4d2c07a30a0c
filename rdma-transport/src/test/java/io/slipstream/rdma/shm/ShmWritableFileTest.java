// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.QueuePairState;
import io.slipstream.rdma.WorkRequest;
import io.slipstream.rdma.contract.Peer;
import io.slipstream.rdma.contract.ProviderFixture;
import io.slipstream.rdma.contract.WritableFileContract;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** In the directory for temporary files, on disk as a rule; {@link ShmWritableTmpfsFileTest} is on tmpfs. */
class ShmWritableFileTest extends WritableFileContract {
    @Override
    protected ProviderFixture openFixture() throws Exception {
        return new ShmFixture();
    }

    @Override
    protected Path parentDirectory() {
        return Path.of(System.getProperty("java.io.tmpdir"));
    }

    private void cut(long sizeBytes) throws Exception {
        try (RandomAccessFile cut = new RandomAccessFile(file.toFile(), "rw")) {
            cut.setLength(sizeBytes);
        }
    }

    /** Compiled code learns of the fault at another time than interpreted code: both are tried. */
    @ParameterizedTest(name = "{0} after {1} writes, file of {2} bytes")
    @CsvSource({
        "WRITE, 0, 0",
        "WRITE_WITH_IMM, 0, 0",
        "WRITE, 30000, 0",
        "WRITE_WITH_IMM, 30000, 0",
        "WRITE, 0, 8192", // the end of the write only
        "WRITE, 0, 8193", // within the last page, where there is no fault, only bytes that are in no file
    })
    void shouldEndTheQueuePairWhenTheFileIsCut(Opcode opcode, int before, long sizeBytes) throws Exception {
        MemoryRegion window = window(4096, 8192);
        for (int i = 0; i < before; i++) {
            write(initiator, window, 0, 64, 'a');
        }
        target.postReceives(1);
        cut(sizeBytes);

        WorkRequest write = initiator.request(opcode, window, 8000);
        initiator.queuePair.post(write);

        initiator.awaitCompletion(opcode, CompletionStatus.GENERAL_ERR);
        assertThat(initiator.queuePair.state()).isEqualTo(QueuePairState.ERROR);
        enterTheVirtualMachine();
        assertThat(target.awaitCompletion().status)
                .as("no message after lost bytes")
                .isEqualTo(CompletionStatus.WR_FLUSH_ERR);
        assertThat(Files.size(file)).isEqualTo(sizeBytes);
        assertThat(window.deregister(TimeUnit.SECONDS.toNanos(10))).isTrue();
        assertThat(target.domain.registeredBytes()).isEqualTo(target.local.lengthBytes());
    }

    /** Where a fault that was not taken would be thrown. */
    private static void enterTheVirtualMachine() {
        for (int i = 0; i < 3; i++) {
            assertThat(new byte[i + 1][i]).hasNumberOfRows(i + 1);
            LockSupport.parkNanos(1);
        }
    }

    /** What the connection thread does once a second: it looks for memory that was cut short. */
    private static void audit(Peer peer) throws Exception {
        CompletableFuture<Void> done = new CompletableFuture<>();
        ((ShmDevice) peer.device).execute(() -> {
            ((ShmQueuePair) peer.queuePair).control().audit();
            done.complete(null);
        });
        done.get(10, TimeUnit.SECONDS);
    }

    /** The owner cuts after its fence, while the peer, slow to hear of it, still has its mapping: that is no reason to part. */
    @Test
    void shouldKeepTheConnectionWhenTheFileIsCutOutsideOfAWrite() throws Exception {
        MemoryRegion cutAway = window(4096, 8192);
        MemoryRegion kept = window(0, 4096);
        cut(4096);

        audit(initiator);
        audit(target);
        assertThat(initiator.queuePair.state()).isEqualTo(QueuePairState.CONNECTED);
        assertThat(target.queuePair.state()).isEqualTo(QueuePairState.CONNECTED);

        write(initiator, kept, 0, 8, 'k');
        assertThat(contents(0, 9)).isEqualTo("kkkkkkkkx");
        assertThat(cutAway.deregister(TimeUnit.SECONDS.toNanos(10))).isTrue();
        write(initiator, kept, 8, 1, 'k');
        assertThat(Files.size(file)).isEqualTo(4096);
    }
}
