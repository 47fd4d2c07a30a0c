// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.work;

import io.netty.channel.embedded.EmbeddedChannel;
import io.slipstream.link.meter.Meter;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.PostStatus;
import io.slipstream.rdma.QueuePair;
import io.slipstream.rdma.WorkCompletion;
import io.slipstream.rdma.WorkRequest;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A queue pair that carries out nothing: the test completes what was posted. */
public final class ScriptedQueuePair extends QueuePair {
    /** A posted work request. */
    public record Posted(long wrId, Opcode opcode, long remoteAddress, int imm) {}

    public final Deque<Posted> posted = new ArrayDeque<>();
    /** The answer to posts; other than POSTED nothing is kept. */
    public long status = PostStatus.POSTED;

    private final LinkPort port;

    public ScriptedQueuePair(int sendDepth) {
        super(null, 1);
        port = new LinkPort(this, true, sendDepth, sendDepth, new OperationMeters(new MeterRegistry(Meter.values())));
        LoopTurn turn = new LoopTurn(new EmbeddedChannel().eventLoop());
        port.attach(new CompletionPump(turn, new NoCompletions(), 0, null));
    }

    public LinkPort port() {
        return port;
    }

    /** Completes the oldest request, and returns it. */
    public Posted complete() {
        Posted oldest = posted.remove();
        complete(oldest);
        return oldest;
    }

    /** Reports the completion of that request. Returns whether the port knows it. */
    boolean complete(Posted request) {
        WorkCompletion completion = new WorkCompletion();
        completion.wrId = request.wrId();
        completion.opcode = request.opcode();
        completion.status = CompletionStatus.SUCCESS;
        return port.complete(completion);
    }

    @Override
    public long post(WorkRequest first) {
        for (WorkRequest each = first; each != null && status == PostStatus.POSTED; each = each.next) {
            posted.add(new Posted(each.wrId, each.opcode, each.remoteAddress, each.imm));
        }
        return status;
    }

    @Override
    public long postReceive(long wrId) {
        return status;
    }

    @Override
    public CompletionStage<Void> export(MemoryRegion region) {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    protected void onEnd(String reason) {}

    @Override
    protected void onClose() {}
}
