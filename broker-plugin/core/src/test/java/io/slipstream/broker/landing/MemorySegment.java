package io.slipstream.broker.landing;

import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.rdma.Access;
import io.slipstream.rdma.MemoryRegion;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.BufferUtil;
import org.apache.kafka.common.Uuid;

/** A segment's file in memory, with a log and links that do nothing by themselves: what landings are made of, without a broker. */
final class MemorySegment {
    /** Position of the file's first byte here. */
    static final int START = 8192;

    final ByteBuffer file = ByteBuffer.allocateDirect(4096);
    final Segment segment = new Segment();
    final Log log = new Log();

    LandingWindow window() {
        return new LandingWindow(new Region(file), START);
    }

    /** As a proxy writes it: without offset and length. */
    void fill(int position, int lengthBytes, byte value) {
        for (int i = LandedLengths.OVERHEAD_BYTES; i < lengthBytes; i++) {
            file.put(position - START + i, value);
        }
    }

    static final class Segment implements LandableLog.ActiveSegment {
        volatile int sizeBytes = START;
        /** Run whenever the file is opened, or a window of it registered. */
        Runnable whenPrepared = () -> {};
        /** Where its bytes would be. */
        Path path = Path.of("/nowhere");

        volatile int trims;

        @Override
        public Object identity() {
            return this;
        }

        @Override
        public Path path() {
            whenPrepared.run();
            return path;
        }

        @Override
        public int sizeBytes() {
            return sizeBytes;
        }

        @Override
        public int limitBytes(int windowBytes) {
            return START + windowBytes;
        }

        @Override
        public void commit(int lengthBytes) {
            sizeBytes += lengthBytes;
        }

        @Override
        public void writeBehindLog() {}

        @Override
        public void trim() {
            trims++;
        }
    }

    final class Log implements LandableLog {
        boolean leader = true;

        @Override
        public Uuid topicId() {
            return Uuid.ZERO_UUID;
        }

        @Override
        public String topic() {
            return "t";
        }

        @Override
        public int partition() {
            return 0;
        }

        @Override
        public Object identity() {
            return this;
        }

        @Override
        public Object partitionIdentity() {
            return this;
        }

        @Override
        public Object monitor() {
            return this;
        }

        @Override
        public String refusal() {
            return null;
        }

        @Override
        public ActiveSegment activeSegment() {
            return segment;
        }

        @Override
        public boolean isLeader() {
            return leader;
        }

        @Override
        public void roll() {}
    }

    static final class Link implements LandingLink {
        final List<Integer> revoked = new ArrayList<>();
        volatile String abandoned;
        private final LinkLandings landings;

        Link(LinkLandings landings) {
            this.landings = landings;
        }

        @Override
        public int linkId() {
            return 1;
        }

        @Override
        public void ringLandingDoorbell(int landingId) {
            revoked.add(landingId);
        }

        @Override
        public void abandon(String reason) {
            abandoned = reason;
        }

        @Override
        public Thread ownerThread() {
            return Thread.currentThread();
        }

        @Override
        public LinkLandings landings() {
            return landings;
        }
    }

    static final class Logs implements LandableLogs {
        volatile boolean isDenied;
        /** How often somebody was asked whether he still may. */
        final AtomicInteger asked = new AtomicInteger();

        @Override
        public Outcome resolve(Object requestContext, ControlRequest.PrepareLanding request) {
            return new Outcome((LandableLog) requestContext, null);
        }

        @Override
        public boolean mayStillWrite(Object requestContext, String topic) {
            asked.incrementAndGet();
            return !isDenied;
        }

        @Override
        public ByteBuffer bytesOf(Object records) {
            return (ByteBuffer) records;
        }

        @Override
        public RuntimeException notLeader(String message) {
            return new IllegalStateException(message);
        }

        @Override
        public RuntimeException passing(String message) {
            return new ArithmeticException(message);
        }
    }

    static final class Region implements MemoryRegion {
        private final ByteBuffer memory;

        Region(ByteBuffer memory) {
            this.memory = memory;
        }

        @Override
        public long address() {
            return BufferUtil.address(memory);
        }

        @Override
        public long lengthBytes() {
            return memory.capacity();
        }

        @Override
        public int lkey() {
            return 1;
        }

        @Override
        public int rkey() {
            return 1;
        }

        @Override
        public Set<Access> access() {
            return EnumSet.of(Access.REMOTE_WRITE);
        }

        @Override
        public ByteBuffer buffer() {
            return memory.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        }

        @Override
        public boolean isRegistered() {
            return true;
        }

        @Override
        public boolean deregister(long timeoutNs) {
            return true;
        }

        @Override
        public void close() {}
    }
}
