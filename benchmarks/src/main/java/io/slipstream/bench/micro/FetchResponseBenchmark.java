// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.micro;

import io.slipstream.protocol.fetch.FetchPartitions;
import io.slipstream.protocol.fetch.FetchResponseWriter;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Writing the fields of a Fetch response around its records. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class FetchResponseBenchmark {
    private static final short VERSION = FetchResponseData.HIGHEST_SUPPORTED_VERSION;

    @Param({"1", "100"})
    public int partitions;

    private final FetchResponseWriter writer = new FetchResponseWriter();
    private final FetchPartitions named = new FetchPartitions();
    private ByteBuffer out;

    @Setup
    public void allocate() {
        named.addTopic(1, 2);
        named.add(0);
        out = ByteBuffer.allocateDirect(FetchResponseWriter.maxFieldBytes(1, partitions, 0));
    }

    @Benchmark
    public int write() {
        out.clear();
        writer.begin(out, VERSION, 7, 0, Errors.NONE, 0, 1);
        writer.topic(named, 0, partitions);
        for (int partition = 0; partition < partitions; partition++) {
            writer.partition(partition, Errors.NONE, 1_000, 1_000, 0, FetchResponseWriter.NO_LIST);
            writer.records(1_068);
            writer.endPartition();
        }
        writer.endTopic();
        writer.end();
        return out.position();
    }
}
