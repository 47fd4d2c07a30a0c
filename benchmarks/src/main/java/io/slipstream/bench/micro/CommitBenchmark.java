// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.micro;

import io.slipstream.harness.raw.Batches;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Appends one batch to the broker's own log ({@code UnifiedLog.appendAsLeader}), which validates it, assigns its offset
 * and writes it to the file. The source is the ring memory or a copy of it. Most of the time and all allocation are
 * Kafka's own.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CommitBenchmark {
    /** Batches per invocation. */
    private static final int BATCHES = 1_000;

    private static final int RING_BYTES = 1 << 20;
    /** The log is emptied before its segment is full. */
    private static final int LARGEST_LOG_BYTES = 128 << 20;

    /** A log, and a batch of one record. */
    @State(Scope.Thread)
    public static class Log {
        @Param({"1024", "16384"})
        public int valueBytes;

        private Path directory;
        private BenchedLog log;
        private ByteBuffer batch;

        @Setup
        public void create() throws IOException {
            directory = Files.createTempDirectory("slipstream-commit");
            log = new BenchedLog(directory);
            batch = Batches.of(new byte[valueBytes]).buffer();
        }

        private void makeRoom() {
            if (log.sizeBytes() > LARGEST_LOG_BYTES) {
                log.empty();
            }
        }

        @TearDown
        public void delete() throws Exception {
            log.close();
            try (Stream<Path> all = Files.walk(directory)) {
                for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(each);
                }
            }
        }
    }

    /** Memory of a request ring that contains batches. */
    @State(Scope.Thread)
    public static class Ring {
        private Log log;
        private ByteBuffer memory;
        private ByteBuffer copies;
        private int at;

        @Setup
        public void fill(Log appended) {
            log = appended;
            memory = ByteBuffer.allocateDirect(RING_BYTES);
            while (memory.remaining() >= log.batch.remaining()) {
                memory.put(log.batch.duplicate());
            }
            memory.flip();
            copies = ByteBuffer.allocateDirect(RING_BYTES);
        }

        @Setup(Level.Invocation)
        public void makeRoom() {
            log.makeRoom();
        }

        /** Returns the next batch in the ring; the broker writes the offset into it. */
        private ByteBuffer next() {
            int lengthBytes = log.batch.remaining();
            at = at + 2 * lengthBytes > memory.limit() ? 0 : at + lengthBytes;
            return memory.slice(at, lengthBytes).putLong(0, 0);
        }

        private ByteBuffer nextCopied() {
            ByteBuffer landed = next();
            copies.put(at, landed, 0, landed.limit());
            return copies.slice(at, landed.limit());
        }
    }

    /** What the plugin does: it copies the bytes before the broker reads them. */
    @Benchmark
    @OperationsPerInvocation(BATCHES)
    public int fromCopy(Ring ring) throws IOException {
        for (int i = 0; i < BATCHES; i++) {
            ring.log.log.append(ring.nextCopied());
        }
        return ring.at;
    }

    /** Without the copy, for comparison. */
    @Benchmark
    @OperationsPerInvocation(BATCHES)
    public int fromRing(Ring ring) throws IOException {
        for (int i = 0; i < BATCHES; i++) {
            ring.log.log.append(ring.next());
        }
        return ring.at;
    }
}
