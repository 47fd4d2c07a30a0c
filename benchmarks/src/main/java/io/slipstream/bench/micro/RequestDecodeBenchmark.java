// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.micro;

import io.slipstream.protocol.fetch.FetchRequestView;
import io.slipstream.protocol.produce.ProduceRequestView;
import io.slipstream.protocol.wire.RequestHeaderView;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The fields that the proxy reads before it chooses a request's path. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class RequestDecodeBenchmark {
    /** Partitions of the request. */
    @Param({"1", "100"})
    public int partitions;

    private final RequestHeaderView header = new RequestHeaderView();
    private final FetchRequestView fetchView = new FetchRequestView();
    private final ProduceRequestView produceView = new ProduceRequestView();
    private ByteBuffer fetch;
    private ByteBuffer produce;

    @Setup
    public void encode() {
        fetch = Frames.fetch(partitions);
        produce = Frames.produce(partitions, 100);
    }

    @Benchmark
    public boolean fetch() {
        header.wrap(fetch);
        return fetchView.wrap(fetch, header.bodyPosition, header.apiVersion);
    }

    @Benchmark
    public boolean produce() {
        header.wrap(produce);
        return produceView.wrap(
                produce, header.bodyPosition, header.apiVersion, (topic, length, partition, records, bytes) -> {});
    }
}
