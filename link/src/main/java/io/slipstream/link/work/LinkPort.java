// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.work;

import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.PostStatus;
import io.slipstream.rdma.QueuePair;
import io.slipstream.rdma.WorkCompletion;
import io.slipstream.rdma.WorkRequest;

/**
 * Posts work requests of one link and keeps the handlers of outstanding ones. It reuses one work request and allocates
 * nothing. Its table is no larger than the queue pair's send queue, so that only a disconnected queue pair refuses a
 * post.
 */
public final class LinkPort {
    /** READs of a {@link #readInOrder} that have no completion of their own. The send queue has room for them, too. */
    public static final int UNREPORTED = 2;

    private static final int SAMPLED = 16;
    /** Nobody waits for a WRITE. If one fails, the queue pair breaks, which ends the link. */
    private static final CompletionHandler OF_WRITES = (status, byteLen) -> {};

    private final QueuePair queuePair;
    private final boolean readsAhead;
    private final int mostReads;
    private final OpTable operations;
    private final long[] postedAtNs;
    private final OperationMeters meters;
    private final WorkRequest work = new WorkRequest();
    /** For {@link #readInOrder}: a list of requests of which only the last one is signaled. */
    private final WorkRequest[] ordered = new WorkRequest[1 + UNREPORTED];

    private CompletionPump pump;
    private int unsampledWrites;
    private boolean closed;

    /**
     * @param readsAhead whether READs are worth a guess: a device carries them out, and beyond a file's end finds zeros
     * @param mostReads limit of outstanding requests for READs, so that frames always find room
     */
    public LinkPort(QueuePair queuePair, boolean readsAhead, int sendDepth, int mostReads, OperationMeters meters) {
        this.queuePair = queuePair;
        this.readsAhead = readsAhead;
        this.mostReads = mostReads;
        this.operations = new OpTable(sendDepth);
        this.postedAtNs = new long[sendDepth];
        for (int i = UNREPORTED; i >= 0; i--) {
            ordered[i] = new WorkRequest();
            ordered[i].opcode = Opcode.READ;
            ordered[i].signaled = i == UNREPORTED;
            ordered[i].next = i == UNREPORTED ? null : ordered[i + 1];
        }
        this.meters = meters;
    }

    /** Sets the pump that handles completions. */
    public void attach(CompletionPump handler) {
        pump = handler;
    }

    /**
     * Posts a READ of remote memory into {@code localAddress}.
     *
     * @return false if it could not be posted; the handler is then not called
     */
    public boolean read(
            CompletionHandler handler, int localKey, long localAddress, int lengthBytes, long remoteAddress, int rkey) {
        if (operations.outstanding() >= mostReads) {
            return false;
        }
        work.clearSegments().addSegment(localKey, localAddress, lengthBytes);
        return post(Opcode.READ, handler, remoteAddress, rkey);
    }

    /** Sets the READ at that place, 0 to 2, of the next {@link #readInOrder}. */
    public LinkPort inOrder(int place, int localKey, long localAddress, int lengthBytes, long remoteAddress, int rkey) {
        WorkRequest read = ordered[place].clearSegments().addSegment(localKey, localAddress, lengthBytes);
        read.remoteAddress = remoteAddress;
        read.rkey = rkey;
        return this;
    }

    /**
     * Whether {@link #readInOrder} is allowed and pays. Requests behind it wait for it, and it would wait for other
     * READs, so nothing may be outstanding.
     */
    public boolean canReadInOrder() {
        return readsAhead && !closed && operations.outstanding() == 0;
    }

    /**
     * Posts three READs. Each begins when the one before it has completed. The handler is called once, for all.
     *
     * @return false if they could not be posted
     */
    public boolean readInOrder(CompletionHandler handler) {
        return post(ordered[0], ordered[UNREPORTED], handler);
    }

    /** Posts a WRITE of local memory to {@code remoteAddress}; false as for {@link #read}. */
    public boolean write(int localKey, long localAddress, int lengthBytes, long remoteAddress, int rkey) {
        work.clearSegments().addSegment(localKey, localAddress, lengthBytes);
        return post(Opcode.WRITE, OF_WRITES, remoteAddress, rkey);
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

    /** Posts a WRITE of the gathered pieces with immediate data {@code imm}; false as for {@link #read}. */
    public boolean writeGathered(CompletionHandler handler, long remoteAddress, int rkey, int imm) {
        work.imm = imm;
        return post(Opcode.WRITE_WITH_IMM, handler, remoteAddress, rkey);
    }

    /** Posts a receive for a WRITE_WITH_IMM, which puts no bytes into the receive's memory. */
    public boolean postReceive() {
        return queuePair.postReceive(0) == PostStatus.POSTED;
    }

    private boolean post(Opcode opcode, CompletionHandler handler, long remoteAddress, int rkey) {
        work.opcode = opcode;
        work.remoteAddress = remoteAddress;
        work.rkey = rkey;
        return post(work, work, handler);
    }

    /** Posts the list of requests, of which only the last one is signaled. */
    private boolean post(WorkRequest first, WorkRequest last, CompletionHandler handler) {
        long id = closed ? -1 : operations.add(handler);
        if (id < 0) {
            return false;
        }
        last.wrId = id;
        postedAtNs[(int) id] = System.nanoTime();
        pump.rouse();
        long status = queuePair.post(first);
        if (status != PostStatus.POSTED) {
            // Any other status: the queue pair is disconnected, and the event loop may not know yet. Claim no room, so
            // that nobody retries. A full queue has room again after a completion.
            closed = status != PostStatus.QUEUE_FULL;
            operations.remove(id);
            return false;
        }
        return true;
    }

    /** Passes the completion of a posted request to its handler; false if it has none. */
    public boolean complete(WorkCompletion completion) {
        CompletionHandler handler = operations.remove(completion.wrId);
        if (handler == null) {
            return false;
        }
        record(completion);
        handler.onWorkCompleted(completion.status, completion.byteLen);
        return true;
    }

    /** Records all READs, which requests wait for, and one in {@value #SAMPLED} WRITEs, to save clock reads. */
    private void record(WorkCompletion completion) {
        if (completion.opcode == Opcode.READ) {
            meters.reads.recordNs(System.nanoTime() - postedAtNs[(int) completion.wrId]);
        } else if (completion.opcode == Opcode.WRITE && ++unsampledWrites == SAMPLED) {
            unsampledWrites = 0;
            meters.writes.recordNs(System.nanoTime() - postedAtNs[(int) completion.wrId]);
        }
    }

    /** Accepts no more work; outstanding requests still complete. */
    public void refuse() {
        closed = true;
    }

    /** The queue pair is closed: outstanding requests will not complete. */
    public void close() {
        closed = true;
        while (operations.outstanding() > 0) {
            CompletionHandler handler = operations.removeAny();
            Contained.run(
                    "a work request at its link's end",
                    () -> handler.onWorkCompleted(CompletionStatus.WR_FLUSH_ERR, 0));
        }
    }

    public boolean isClosed() {
        return closed;
    }

    public int outstanding() {
        return operations.outstanding();
    }

    public boolean hasRoomToRead() {
        return !closed && operations.outstanding() < mostReads;
    }

    public boolean hasRoomToWrite() {
        return !closed && operations.outstanding() < postedAtNs.length;
    }
}
