// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.micro;

import io.slipstream.proxy.count.ClientActivity;
import io.slipstream.proxy.count.PartitionActivity;
import io.slipstream.proxy.count.PartitionTable;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.Uuid;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * The cost of {@code slipstream top} per request on an event loop: finding the partition by the topic in the frame, and
 * adding to its and the client's counters.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class LiveCountBenchmark {
    private static final int ID_BYTES = 16;

    /** Partitions that the loop's clients write to, in turn. */
    @Param({"1", "1000"})
    public int partitions;

    private final PartitionTable table = new PartitionTable();
    private final ClientActivity client = new ClientActivity("127.0.0.1:1", 1);
    private ByteBuffer frame;
    private int next;

    @Setup
    public void write() {
        Uuid topic = Uuid.randomUuid();
        frame = ByteBuffer.allocateDirect(64)
                .putLong(40, topic.getMostSignificantBits())
                .putLong(48, topic.getLeastSignificantBits());
    }

    @Benchmark
    public PartitionActivity partition() {
        next = next + 1 < partitions ? next + 1 : 0;
        PartitionActivity activity = table.of(frame, 40, ID_BYTES, true, next);
        activity.produced(10, 1000, true, null);
        return activity;
    }

    @Benchmark
    public void client() {
        client.received(1000);
        client.answered((short) 0, true, 10, 30_000);
        client.sent(60);
    }
}
