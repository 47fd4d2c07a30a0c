// SPDX-License-Identifier: Apache-2.0
package io.slipstream.fuzz;

import io.slipstream.rdma.Access;
import io.slipstream.rdma.CompletionQueue;
import io.slipstream.rdma.DeviceConfig;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.ProtectionDomain;
import io.slipstream.rdma.QueuePair;
import io.slipstream.rdma.QueuePairConfig;
import io.slipstream.rdma.RdmaDevice;
import io.slipstream.rdma.RdmaListener;
import io.slipstream.rdma.RdmaProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Two ends of one queue pair of the {@code shm} provider in this JVM, so that fuzzed rings use a real transport. Lives
 * as long as the JVM; one thread owns both ends.
 */
public final class ShmPair {
    public static final int DEPTH = 256;
    private static final long TIMEOUT_S = 10;

    public final End near;
    public final End far;

    /** One end. */
    public static final class End {
        public final RdmaDevice device;
        public final ProtectionDomain domain;
        public final CompletionQueue completions;
        public QueuePair queuePair;

        private End() throws IOException {
            device = RdmaProvider.named("shm").orElseThrow().open(DeviceConfig.DEFAULT);
            domain = device.createProtectionDomain();
            completions = device.createCompletionQueue(4 * DEPTH);
        }

        private QueuePairConfig config() {
            return new QueuePairConfig(domain, completions, DEPTH, DEPTH, (ended, reason) -> {});
        }

        /** Returns memory that the other end may write. */
        public MemoryRegion exported(int sizeBytes) {
            MemoryRegion region = allocated(sizeBytes, EnumSet.of(Access.REMOTE_WRITE));
            queuePair
                    .export(region)
                    .toCompletableFuture()
                    .orTimeout(TIMEOUT_S, TimeUnit.SECONDS)
                    .join();
            return region;
        }

        /** Returns memory of this end only. */
        public MemoryRegion local(int sizeBytes) {
            return allocated(sizeBytes, EnumSet.noneOf(Access.class));
        }

        private MemoryRegion allocated(int sizeBytes, EnumSet<Access> access) {
            try {
                return domain.allocate(sizeBytes, access);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** Posts receives for this many WRITE_WITH_IMM. */
        public void postReceives(int count) {
            for (int i = 0; i < count; i++) {
                if (queuePair.postReceive(0) < 0) {
                    throw new IllegalStateException("the queue pair takes no receive: " + queuePair.errorReason());
                }
            }
        }
    }

    private ShmPair() throws IOException {
        near = new End();
        far = new End();
    }

    public static ShmPair connect() {
        try {
            ShmPair pair = new ShmPair();
            Path directory = Files.createTempDirectory("slf");
            CompletableFuture<QueuePair> accepted = new CompletableFuture<>();
            ByteBuffer nothing = ByteBuffer.allocate(0);
            try (RdmaListener listener = pair.far.device.listen(
                    directory.resolve("s").toString(),
                    request -> request.accept(pair.far.config()).thenAccept(accepted::complete))) {
                pair.near.queuePair = pair.near
                        .device
                        .connect(listener.address(), pair.near.config(), nothing, TimeUnit.SECONDS.toNanos(TIMEOUT_S))
                        .toCompletableFuture()
                        .get(TIMEOUT_S, TimeUnit.SECONDS);
                pair.far.queuePair = accepted.get(TIMEOUT_S, TimeUnit.SECONDS);
            }
            Files.delete(directory);
            return pair;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new IllegalStateException("the two ends do not connect", e);
        }
    }
}
