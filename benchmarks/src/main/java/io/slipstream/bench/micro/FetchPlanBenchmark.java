// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.micro;

import io.slipstream.harness.raw.Batches;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** The proxy's work for a Fetch between its READs: the decision by slots, and the answer around the records. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class FetchPlanBenchmark {
    private static final int VALUE_BYTES = 1_000;

    /** Partitions of the request, each with a batch to read. */
    @Param({"1", "16", "100"})
    public int partitions;

    private BenchedFetch fetch;

    @Setup
    public void grant() {
        fetch = new BenchedFetch(
                Frames.fetch(partitions), Batches.of(new byte[VALUE_BYTES]).sizeInBytes());
    }

    @TearDown
    public void close() {
        fetch.close();
    }

    @Benchmark
    public int plan() {
        return fetch.plan();
    }

    /** One buffer for a single partition, else a composite of slices: records are not copied. */
    @Benchmark
    public int respond() {
        return fetch.respond();
    }
}
