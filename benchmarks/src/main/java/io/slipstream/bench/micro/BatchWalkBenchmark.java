// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.micro;

import io.slipstream.harness.raw.Batches;
import io.slipstream.protocol.fetch.BatchWalk;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Truncation of log bytes to whole batches. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class BatchWalkBenchmark {
    @Param({"1", "100"})
    public int batches;

    private final BatchWalk walk = new BatchWalk();
    private ByteBuffer log;

    @Setup
    public void encode() {
        MemoryRecords one = Batches.of(new byte[1_000]);
        int sizeBytes = one.sizeInBytes();
        log = ByteBuffer.allocateDirect(batches * sizeBytes);
        for (int i = 0; i < batches; i++) {
            log.putLong(i * sizeBytes, i).put(i * sizeBytes + 8, one.buffer(), 8, sizeBytes - 8);
        }
    }

    @Benchmark
    public long walk() {
        walk.walk(log, 0, log.capacity(), 0, batches, Integer.MAX_VALUE, true);
        return walk.nextOffset;
    }
}
