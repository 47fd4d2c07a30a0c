// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.micro;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.slipstream.broker.metrics.PluginMeters;
import io.slipstream.broker.ring.RingFrameIn;
import io.slipstream.broker.ring.RingHandler;
import io.slipstream.broker.ring.RingLink;
import io.slipstream.broker.ring.RingReply;
import io.slipstream.broker.ring.RingSession;
import io.slipstream.broker.ring.RingThread;
import io.slipstream.broker.session.BoundSession;
import io.slipstream.broker.session.ObservedConnection;
import io.slipstream.broker.session.SessionLifetime;
import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.rdma.Access;
import io.slipstream.rdma.MemoryRegion;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * All steps of a Produce between the proxy's dispatcher and the broker's request handler and back, on one thread and
 * without Kafka: the proxy's request ring, the plugin's (with a handler that only answers), its reply ring, and the
 * proxy's.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class RingBenchmark {
    private static final int BURST = 16;
    private static final int ANSWER_BYTES = 60;

    @Param({"1024", "16384"})
    public int valueBytes;

    private final ByteBuffer answer = ByteBuffer.allocate(ANSWER_BYTES);
    private Peers peers;
    private BenchedLink proxy;
    private RingThread ring;
    private RingHandler handler;
    private long answered;

    @Setup
    public void connect() throws Exception {
        peers = new Peers("shm");
        Peers.Side far = peers.far;
        MemoryRegion control = far.domain.allocate(4096, EnumSet.of(Access.REMOTE_WRITE));
        MemoryRegion staging = far.domain.allocate(Peers.REGION_BYTES, EnumSet.noneOf(Access.class));
        far.queuePair.export(control).toCompletableFuture().get(10, TimeUnit.SECONDS);
        ring = new RingThread(far.completions, 1, 0, RingThread.MOST_HELD_REPLIES);
        handler = new RingHandler(ring);
        RingLink link = new RingLink(
                1,
                far.queuePair,
                ring,
                new PluginMeters(),
                Peers.DEPTH / 2,
                Peers.DEPTH,
                1,
                far.region,
                ByteBuffer.allocateDirect((int) far.region.lengthBytes()),
                control,
                staging,
                remote(peers.near.region));
        RingSession session = new RingSession(new BoundSession(
                1,
                1,
                new ObservedConnection("benchmark", "", "PLAINTEXT", "User:alice", false, null),
                SessionLifetime.UNLIMITED));
        link.bind(session);
        ring.schedule(link);
        serve();
        ByteBuf frame = Unpooled.directBuffer().writeBytes(Frames.produce(1, valueBytes));
        proxy = new BenchedLink(
                peers.near.queuePair,
                peers.near.completions,
                peers.near.domain.anyLocalMemoryKey(),
                peers.near.region,
                peers.near.domain.allocate(4096, EnumSet.noneOf(Access.class)),
                remote(far.region),
                remote(control),
                Peers.DEPTH,
                frame);
    }

    private static RemoteMemory remote(MemoryRegion region) {
        return new RemoteMemory(region.address(), region.lengthBytes(), region.rkey());
    }

    @TearDown
    public void close() {
        proxy.close();
        handler.close();
        peers.close();
    }

    /** One request and its answer. */
    @Benchmark
    public long one() {
        proxy.submit();
        return exchange(1);
    }

    /** As many requests as one socket read of a client brings, and all their answers. */
    @Benchmark
    @OperationsPerInvocation(BURST)
    public long burst() {
        for (int i = 0; i < BURST; i++) {
            proxy.submit();
        }
        return exchange(BURST);
    }

    private long exchange(int requests) {
        serve();
        answered += requests;
        long answers = proxy.pump();
        if (answers != answered) {
            throw new IllegalStateException(answers + " answers instead of " + answered);
        }
        return answers;
    }

    /** The work of a handler thread without Kafka. */
    private void serve() {
        RingFrameIn frame;
        do {
            // Makes poll return instead of sleeping when nothing is left.
            ring.wakeUp();
            frame = handler.poll(0);
            if (frame != null) {
                frame.releaseBytes();
                frame.link.reply(new Answer(frame, answer));
            }
        } while (frame != null);
    }

    private static final class Answer extends RingReply {
        private final ByteBuffer content;

        Answer(RingFrameIn frame, ByteBuffer content) {
            super(frame, 0, ANSWER_BYTES, false);
            this.content = content;
        }

        @Override
        public void writeTo(ByteBuffer target) {
            target.put(target.position(), content, 0, ANSWER_BYTES);
        }
    }
}
