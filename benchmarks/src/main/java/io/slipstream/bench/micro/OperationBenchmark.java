// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.micro;

import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.PostStatus;
import io.slipstream.rdma.WorkRequest;
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

/**
 * Operations between two queue pairs on one thread: the cost of posting, moving the bytes and polling, without
 * wake-ups. Each provider has a subclass.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public abstract class OperationBenchmark {
    /** 64 is a slot, 256 a small Produce frame, 65536 a chunk of a segment. */
    @Param({"64", "256", "65536"})
    public int sizeBytes;

    private final String provider;
    private final WorkRequest request = new WorkRequest();
    private Peers peers;

    OperationBenchmark(String provider) {
        this.provider = provider;
    }

    @Setup
    public void connect() throws Exception {
        peers = new Peers(provider);
    }

    @TearDown
    public void close() {
        peers.close();
    }

    /** A READ and its completion: a slot refresh, or a chunk of records. */
    @Benchmark
    public int read() {
        post(peers.near, peers.far.region, Opcode.READ);
        return peers.near.next().byteLen;
    }

    /** A WRITE and its completion. */
    @Benchmark
    public int write() {
        post(peers.near, peers.far.region, Opcode.WRITE);
        return peers.near.next().qpNumber;
    }

    /** A frame into the peer's ring, its notification there, an equal reply, and its notification here. */
    @Benchmark
    public int writeAndReply() {
        receive(peers.far);
        receive(peers.near);
        post(peers.near, peers.far.region, Opcode.WRITE_WITH_IMM);
        peers.far.next();
        post(peers.far, peers.near.region, Opcode.WRITE_WITH_IMM);
        peers.far.next();
        peers.near.next();
        return peers.near.next().imm;
    }

    private static void receive(Peers.Side side) {
        check(side.queuePair.postReceive(1));
    }

    private void post(Peers.Side side, MemoryRegion remote, Opcode opcode) {
        request.opcode = opcode;
        request.remoteAddress = remote.address();
        request.rkey = remote.rkey();
        request.imm = 1;
        request.clearSegments().addSegment(side.region.lkey(), side.region.address(), sizeBytes);
        check(side.queuePair.post(request));
    }

    private static void check(long status) {
        if (status < 0) {
            throw new IllegalStateException(PostStatus.name(status));
        }
    }
}
