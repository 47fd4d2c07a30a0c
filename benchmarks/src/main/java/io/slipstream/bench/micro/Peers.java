// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.micro;

import io.slipstream.rdma.Access;
import io.slipstream.rdma.CompletionQueue;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.DeviceConfig;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.ProtectionDomain;
import io.slipstream.rdma.QueuePair;
import io.slipstream.rdma.QueuePairConfig;
import io.slipstream.rdma.RdmaDevice;
import io.slipstream.rdma.RdmaListener;
import io.slipstream.rdma.RdmaProvider;
import io.slipstream.rdma.WorkCompletion;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Two connected devices of one provider in this JVM. Each has a region that the other may read, write and add to. */
final class Peers implements AutoCloseable {
    static final int REGION_BYTES = 1 << 20;
    static final int DEPTH = 256;
    private static final long TIMEOUT_S = 10;

    final Side near;
    final Side far;

    /** One end of the connection; the benchmark's thread owns both. */
    static final class Side implements AutoCloseable {
        final RdmaDevice device;
        final ProtectionDomain domain;
        final CompletionQueue completions;
        final MemoryRegion region;
        QueuePair queuePair;
        private final WorkCompletion[] one = {new WorkCompletion()};

        Side(String provider) throws Exception {
            device = RdmaProvider.named(provider).orElseThrow().open(DeviceConfig.DEFAULT);
            domain = device.createProtectionDomain();
            completions = device.createCompletionQueue(4 * DEPTH);
            region = domain.allocate(REGION_BYTES, EnumSet.allOf(Access.class));
        }

        QueuePairConfig config() {
            return new QueuePairConfig(domain, completions, DEPTH, DEPTH, (ended, reason) -> {});
        }

        /**
         * Polls until the next completion.
         *
         * @throws IllegalStateException if it is an error
         */
        WorkCompletion next() {
            while (completions.poll(one) == 0) {
                Thread.onSpinWait();
            }
            if (one[0].status != CompletionStatus.SUCCESS) {
                throw new IllegalStateException(one[0].toString());
            }
            return one[0];
        }

        @Override
        public void close() {
            device.close();
        }
    }

    /** @param provider {@code shm} or {@code verbs} */
    Peers(String provider) throws Exception {
        near = new Side(provider);
        far = new Side(provider);
        Path directory = Files.createTempDirectory("slb");
        String address = provider.equals("shm") ? directory.resolve("s").toString() : ":0";
        CompletableFuture<QueuePair> accepted = new CompletableFuture<>();
        ByteBuffer nothing = ByteBuffer.allocate(0);
        try (RdmaListener listener = far.device.listen(
                address, request -> request.accept(far.config()).thenAccept(accepted::complete))) {
            near.queuePair = near.device
                    .connect(listener.address(), near.config(), nothing, TimeUnit.SECONDS.toNanos(TIMEOUT_S))
                    .toCompletableFuture()
                    .get(TIMEOUT_S, TimeUnit.SECONDS);
            far.queuePair = accepted.get(TIMEOUT_S, TimeUnit.SECONDS);
        }
        Files.delete(directory);
        for (Side side : new Side[] {near, far}) {
            side.queuePair.export(side.region).toCompletableFuture().get(TIMEOUT_S, TimeUnit.SECONDS);
        }
    }

    @Override
    public void close() {
        near.close();
        far.close();
    }
}
