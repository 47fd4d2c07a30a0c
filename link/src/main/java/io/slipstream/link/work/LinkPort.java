// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.work;

import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.PostStatus;
import io.slipstream.rdma.QueuePair;
import io.slipstream.rdma.WorkCompletion;
import io.slipstream.rdma.WorkRequest;

/**
 * Posts work requests of one link and remembers who waits for them. One reusable work request; allocates nothing. Its
 * table is no larger than the queue pair's send queue, so that a post is only refused by a queue pair that is not
 * connected any more.
 */
public final class LinkPort {
    private static final int SAMPLED = 16;

    private final QueuePair queuePair;
    private final int mostReads;
    private final OpTable operations;
    private final long[] postedAtNs;
    private final OperationMeters meters;
    private final WorkRequest work = new WorkRequest();
    private CompletionPump pump;
    private int unsampledWrites;
    private boolean closed;

    /** @param mostReads reads are refused while so many requests are outstanding, so that frames always find room */
    public LinkPort(QueuePair queuePair, int sendDepth, int mostReads, OperationMeters meters) {
        this.queuePair = queuePair;
        this.mostReads = mostReads;
        this.operations = new OpTable(sendDepth);
        this.postedAtNs = new long[sendDepth];
        this.meters = meters;
    }

    /** The pump that handles what is posted; whoever posts from outside of it must run it afterwards. */
    public void attach(CompletionPump handler) {
        pump = handler;
    }

    /**
     * Reads remote memory into {@code localAddress}; false if it could not be posted, the handler is then not called.
     */
    public boolean read(
            CompletionHandler handler, int localKey, long localAddress, int lengthBytes, long remoteAddress, int rkey) {
        if (operations.outstanding() >= mostReads) {
            return false;
        }
        work.clearSegments().addSegment(localKey, localAddress, lengthBytes);
        return post(Opcode.READ, handler, remoteAddress, rkey);
    }

    /** Writes local memory to {@code remoteAddress}; false as for {@link #read}. */
    public boolean write(
            CompletionHandler handler, int localKey, long localAddress, int lengthBytes, long remoteAddress, int rkey) {
        work.clearSegments().addSegment(localKey, localAddress, lengthBytes);
        return post(Opcode.WRITE, handler, remoteAddress, rkey);
    }

    /** Starts the gather list of a frame; continue with {@link #gather}, end with {@link #writeGathered}. */
    public LinkPort beginGather() {
        work.clearSegments();
        return this;
    }

    public LinkPort gather(int localKey, long localAddress, int lengthBytes) {
        work.addSegment(localKey, localAddress, lengthBytes);
        return this;
    }

    /** Writes what was gathered and announces it with {@code imm}; false as for {@link #read}. */
    public boolean writeGathered(CompletionHandler handler, long remoteAddress, int rkey, int imm) {
        work.imm = imm;
        return post(Opcode.WRITE_WITH_IMM, handler, remoteAddress, rkey);
    }

    /** Posts a receive for a WRITE_WITH_IMM, which puts no bytes there. */
    public boolean postReceive() {
        return queuePair.postReceive(0, 0, 0, 0) == PostStatus.POSTED;
    }

    private boolean post(Opcode opcode, CompletionHandler handler, long remoteAddress, int rkey) {
        long id = closed ? -1 : operations.add(handler);
        if (id < 0) {
            return false;
        }
        work.wrId = id;
        work.opcode = opcode;
        work.signaled = true;
        work.remoteAddress = remoteAddress;
        work.rkey = rkey;
        postedAtNs[(int) id] = System.nanoTime();
        pump.rouse();
        long status = queuePair.post(work);
        if (status != PostStatus.POSTED) {
            // Not connected any more, though the event loop may not know yet: no room, so that nobody tries again.
            // A full queue has room again when something completes.
            closed = status != PostStatus.QUEUE_FULL;
            operations.remove(id);
            return false;
        }
        return true;
    }

    /** Hands a completion of a posted request to its handler; false if it belongs to none. */
    public boolean complete(WorkCompletion completion) {
        CompletionHandler handler = operations.remove(completion.wrId);
        if (handler == null) {
            return false;
        }
        record(completion);
        handler.onWorkCompleted(completion.status, completion.byteLen);
        return true;
    }

    /**
     * All reads, which others wait for; of writes one in {@value #SAMPLED}, so that these cost no reading of the clock.
     */
    private void record(WorkCompletion completion) {
        if (completion.opcode == Opcode.READ) {
            meters.reads.recordNs(System.nanoTime() - postedAtNs[(int) completion.wrId]);
        } else if (completion.opcode == Opcode.WRITE && ++unsampledWrites == SAMPLED) {
            unsampledWrites = 0;
            meters.writes.recordNs(System.nanoTime() - postedAtNs[(int) completion.wrId]);
        }
    }

    /** Takes no more work; what is outstanding still completes. */
    public void refuse() {
        closed = true;
    }

    /** The queue pair is closed: whatever is outstanding will not complete any more. */
    public void close() {
        closed = true;
        for (CompletionHandler handler = operations.removeAny(); handler != null; handler = operations.removeAny()) {
            handler.onWorkCompleted(CompletionStatus.WR_FLUSH_ERR, 0);
        }
    }

    public boolean isClosed() {
        return closed;
    }

    public int outstanding() {
        return operations.outstanding();
    }

    /** Whether a READ would find room. */
    public boolean hasRoomToRead() {
        return !closed && operations.outstanding() < mostReads;
    }

    /** Whether a WRITE would find room. */
    public boolean hasRoomToWrite() {
        return !closed && operations.outstanding() < postedAtNs.length;
    }
}
