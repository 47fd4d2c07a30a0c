// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.micro;

import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.protocol.address.AddressMap;
import io.slipstream.protocol.address.ResponseRewriter;
import io.slipstream.protocol.address.Topology;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Searches a broker's answer to a Produce for addresses to rewrite; most answers contain none. The encoding is the
 * broker's own.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ProduceAnswerBenchmark {
    /** Partitions of the answer. */
    @Param({"1", "100"})
    public int partitions;

    private final ResponseRewriter rewriter = new ResponseRewriter(new Nowhere());
    private ByteBuffer answer;

    @Setup
    public void encode() {
        ProduceResponseData data = new ProduceResponseData();
        data.responses()
                .add(new TopicProduceResponse()
                        .setTopicId(new Uuid(1, 2))
                        .setPartitionResponses(IntStream.range(0, partitions)
                                .mapToObj(partition -> new PartitionProduceResponse()
                                        .setIndex(partition)
                                        .setBaseOffset(1_000))
                                .toList()));
        ObjectSerializationCache cache = new ObjectSerializationCache();
        int bodyBytes = data.size(cache, ProduceRequests.NEWEST);
        // Correlation id and no tagged fields.
        answer = ByteBuffer.allocateDirect(Integer.BYTES + 1 + bodyBytes).position(Integer.BYTES + 1);
        data.write(new ByteBufferAccessor(answer), cache, ProduceRequests.NEWEST);
        answer.flip();
    }

    @Benchmark
    public ByteBuffer rewrite() {
        ByteBuffer rewritten = rewriter.rewrite(answer, ApiKeys.PRODUCE.id, ProduceRequests.NEWEST);
        if (rewritten != answer) {
            throw new IllegalStateException("found addresses where there are none");
        }
        return rewritten;
    }

    private static final class Nowhere implements AddressMap {
        @Override
        public void learn(Topology topology) {}

        @Override
        public String host(int nodeId) {
            return null;
        }

        @Override
        public int port(int nodeId) {
            return 0;
        }
    }
}
