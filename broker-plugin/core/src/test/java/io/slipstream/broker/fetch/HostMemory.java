package io.slipstream.broker.fetch;

import io.slipstream.rdma.Access;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.ProtectionDomain;
import io.slipstream.rdma.QueuePair;
import io.slipstream.rdma.QueuePairState;
import io.slipstream.rdma.WorkRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Registered memory and exports without a transport: whoever has the key reads the owner's bytes. */
final class HostMemory implements ProtectionDomain, QueuePair {
    private final Map<Integer, Region> regions = new ConcurrentHashMap<>();
    private final Set<Integer> exported = ConcurrentHashMap.newKeySet();
    private final AtomicInteger keys = new AtomicInteger();

    /** The memory behind a key that was exported and is registered. */
    ByteBuffer memory(int rkey) {
        return region(rkey).bytes;
    }

    /** Reads a file region as a peer would; beyond the file's end is an access error. */
    ByteBuffer read(int rkey, int position, int lengthBytes) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(lengthBytes);
        while (bytes.hasRemaining()) {
            if (region(rkey).file.read(bytes, position + bytes.position()) < 0) {
                throw new IllegalStateException("remote access error: beyond the end of the file");
            }
        }
        return bytes.flip();
    }

    private Region region(int rkey) {
        Region region = regions.get(rkey);
        if (region == null || !exported.contains(rkey)) {
            throw new IllegalStateException("remote access error: key " + rkey);
        }
        return region;
    }

    boolean isReadable(int rkey) {
        return regions.containsKey(rkey) && exported.contains(rkey);
    }

    int regionCount() {
        return regions.size();
    }

    @Override
    public MemoryRegion allocate(long lengthBytes, Set<Access> access) {
        ByteBuffer bytes = ByteBuffer.allocateDirect((int) lengthBytes + 128).alignedSlice(64);
        return register(
                bytes.limit((int) lengthBytes).slice().order(ByteOrder.LITTLE_ENDIAN), null, lengthBytes, access);
    }

    @Override
    public MemoryRegion registerFile(Path file, long lengthBytes) throws IOException {
        return register(null, FileChannel.open(file, StandardOpenOption.READ), lengthBytes, Set.of());
    }

    private Region register(ByteBuffer bytes, FileChannel file, long lengthBytes, Set<Access> access) {
        Region region = new Region(keys.incrementAndGet(), bytes, file, lengthBytes, access);
        regions.put(region.key, region);
        return region;
    }

    @Override
    public CompletionStage<Void> export(MemoryRegion region) {
        exported.add(region.rkey());
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public int anyLocalMemoryKey() {
        return -1;
    }

    @Override
    public long registeredBytes() {
        return regions.values().stream().mapToLong(Region::lengthBytes).sum();
    }

    @Override
    public int number() {
        return 1;
    }

    @Override
    public QueuePairState state() {
        return QueuePairState.CONNECTED;
    }

    @Override
    public String errorReason() {
        return null;
    }

    @Override
    public ByteBuffer peerPrivateData() {
        return ByteBuffer.allocate(0);
    }

    @Override
    public long post(WorkRequest request) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long postReceive(long wrId, int lkey, long localAddress, int lengthBytes) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void disconnect(String reason) {}

    @Override
    public void close() {
        regions.values().forEach(Region::close);
    }

    private final class Region implements MemoryRegion {
        private final int key;
        private final ByteBuffer bytes;
        private final FileChannel file;
        private final long lengthBytes;
        private final Set<Access> access;

        private Region(int key, ByteBuffer bytes, FileChannel file, long lengthBytes, Set<Access> access) {
            this.key = key;
            this.bytes = bytes;
            this.file = file;
            this.lengthBytes = lengthBytes;
            this.access = access;
        }

        @Override
        public long address() {
            return key * 0x1_0000_0000L;
        }

        @Override
        public long lengthBytes() {
            return lengthBytes;
        }

        @Override
        public int lkey() {
            return key;
        }

        @Override
        public int rkey() {
            return key;
        }

        @Override
        public Set<Access> access() {
            return access;
        }

        @Override
        public ByteBuffer buffer() {
            return bytes;
        }

        @Override
        public boolean isRegistered() {
            return regions.containsKey(key);
        }

        @Override
        public boolean deregister(long timeoutNs) {
            if (regions.remove(key) != null && file != null) {
                try {
                    file.close();
                } catch (IOException failure) {
                    throw new UncheckedIOException(failure);
                }
            }
            return true;
        }

        @Override
        public void close() {
            deregister(0);
        }
    }
}
