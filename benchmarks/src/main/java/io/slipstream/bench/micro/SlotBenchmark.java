// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.micro;

import io.slipstream.protocol.slot.SlotLayout;
import io.slipstream.protocol.slot.SlotView;
import io.slipstream.protocol.slot.SlotWriter;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Publishing a slot, under the partition's lock in the broker, and reading a copy of it, for every fetch in the proxy.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SlotBenchmark {
    private static final int SLOTS = 16;
    private static final int ALIGNMENT = 64;

    private final SlotView view = new SlotView();
    private ByteBuffer table;
    private SlotWriter writer;
    private long offset;

    @Setup
    public void publishOnce() {
        table = ByteBuffer.allocateDirect(SlotLayout.tableBytes(SLOTS) + ALIGNMENT)
                .alignedSlice(ALIGNMENT);
        writer = new SlotWriter(table, SLOTS);
        publish();
    }

    @Benchmark
    public void publish() {
        offset++;
        writer.publish(3, 0, 1, 0, 0, offset, (int) offset & 0xffff, 0, offset, 0);
    }

    @Benchmark
    public long read() {
        view.wrap(table, SlotLayout.slotOffset(3));
        return view.isConsistent() ? view.highWatermark() : -1;
    }
}
