// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

import io.slipstream.rdma.Access;
import io.slipstream.rdma.CompletionQueue;
import io.slipstream.rdma.DeviceConfig;
import io.slipstream.rdma.FileRegistration;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.ProtectionDomain;
import io.slipstream.rdma.QueuePair;
import io.slipstream.rdma.QueuePairConfig;
import io.slipstream.rdma.RdmaDevice;
import io.slipstream.rdma.RdmaListener;
import io.slipstream.rdma.RdmaProvider;
import io.slipstream.rdma.TransportCounters;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * {@code shm} with the restrictions of a device: local segments must be in registered regions. {@code shm} itself
 * checks each segment's lkey and range (LOC_PROT_ERR otherwise); this provider only hides the key for arbitrary memory.
 * READs can be delayed ({@link SlowReads}).
 */
public final class RegisteredOnlyProvider implements RdmaProvider {
    static final String NAME = "registered";
    /** While true, no memory can be registered. */
    static volatile boolean outOfMemory;
    /** While true, the device fails to make a completion queue, as one that is closed does. */
    static volatile boolean broken;
    /** Whether regions of files may be read beyond what is written. The test preallocates the files. */
    static volatile boolean pinsFiles;

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Optional<String> unavailableReason() {
        return Optional.empty();
    }

    @Override
    public RdmaDevice open(DeviceConfig config) throws IOException {
        return new Device(RdmaProvider.named("shm").orElseThrow().open(config));
    }

    private record Device(RdmaDevice shm) implements RdmaDevice {
        @Override
        public String provider() {
            return NAME;
        }

        @Override
        public ProtectionDomain createProtectionDomain() {
            return new Domain(shm.createProtectionDomain());
        }

        @Override
        public CompletionQueue createCompletionQueue(int capacity) throws IOException {
            if (broken) {
                throw new IllegalStateException("as the test wants it");
            }
            return new SlowReads(shm.createCompletionQueue(capacity));
        }

        @Override
        public RdmaListener listen(String address, RdmaListener.Handler handler) throws IOException {
            return shm.listen(address, handler);
        }

        @Override
        public CompletionStage<QueuePair> connect(
                String address, QueuePairConfig config, ByteBuffer privateData, long timeoutNs) {
            QueuePairConfig inner = new QueuePairConfig(
                    ((Domain) config.protectionDomain()).shm(),
                    ((SlowReads) config.completionQueue()).shm,
                    config.sendDepth(),
                    config.receiveDepth(),
                    config.listener());
            return shm.connect(address, inner, privateData, timeoutNs);
        }

        @Override
        public FileRegistration probe(Path directory) throws IOException {
            return shm.probe(directory);
        }

        @Override
        public long registeredBytes() {
            return shm.registeredBytes();
        }

        @Override
        public TransportCounters counters() {
            return shm.counters();
        }

        @Override
        public void close() {
            shm.close();
        }
    }

    private record Domain(ProtectionDomain shm) implements ProtectionDomain {
        @Override
        public MemoryRegion allocate(long lengthBytes, Set<Access> access) throws IOException {
            if (outOfMemory) {
                throw new OutOfMemoryError("as the test wants it");
            }
            return shm.allocate(lengthBytes, access);
        }

        @Override
        public MemoryRegion registerFile(Path file, long positionBytes, long lengthBytes) throws IOException {
            return shm.registerFile(file, positionBytes, lengthBytes);
        }

        @Override
        public boolean pinsFiles() {
            return pinsFiles;
        }

        @Override
        public int anyLocalMemoryKey() {
            return -1;
        }

        @Override
        public long registeredBytes() {
            return shm.registeredBytes();
        }

        @Override
        public void close() {
            shm.close();
        }
    }
}
