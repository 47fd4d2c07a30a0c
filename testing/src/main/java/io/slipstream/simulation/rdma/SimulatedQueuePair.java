// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.rdma;

import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.PostStatus;
import io.slipstream.rdma.QueuePair;
import io.slipstream.rdma.QueuePairConfig;
import io.slipstream.rdma.QueuePairState;
import io.slipstream.rdma.WorkRequest;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * One end of a connection. It executes requests one at a time; the completions follow later, in order.
 *
 * <pre>
 *   CONNECTED ──request failed, peer gone, disconnect()──▶ ERROR
 *   ERROR ──(delay: operations in flight may still complete)──▶ flushed ──close()──▶ CLOSED
 * </pre>
 */
final class SimulatedQueuePair extends QueuePair {
    private final SimulatedDevice device;
    private final Fabric fabric;
    private final SimulatedDomain domain;
    private final SimulatedCompletionQueue completions;
    private final ArrayDeque<Operation> queue = new ArrayDeque<>();
    private final Map<Integer, SimulatedRegion> exported = new HashMap<>();
    /** Ids of posted requests that still occupy the send queue, oldest first. */
    private final ArrayDeque<Long> places = new ArrayDeque<>();

    private SimulatedQueuePair peer;
    private int receives;
    private boolean busy;
    private boolean flushed;
    /** Whether the process has ended. */
    private boolean vanished;

    private long lastCompletionNs;

    SimulatedQueuePair(SimulatedDevice device, QueuePairConfig config) {
        super(config, device.fabric.newNumber());
        this.device = device;
        this.fabric = device.fabric;
        this.domain = (SimulatedDomain) config.protectionDomain();
        this.completions = (SimulatedCompletionQueue) config.completionQueue();
        device.queuePairs.add(this);
    }

    void meet(SimulatedQueuePair other) {
        peer = other;
        other.peer = this;
    }

    @Override
    public long post(WorkRequest first) {
        if (state() != QueuePairState.CONNECTED) {
            return PostStatus.NOT_CONNECTED;
        } else if (places.size() + first.wellFormedCount(Integer.MAX_VALUE) > config.sendDepth()) {
            fabric.world.violate("send queue", "more requests are posted than the send queue holds");
            return PostStatus.QUEUE_FULL;
        }
        for (WorkRequest each = first; each != null; each = each.next) {
            add(each, first.next != null);
        }
        return PostStatus.POSTED;
    }

    private void add(WorkRequest request, boolean isListed) {
        Operation operation = new Operation(request, isListed, device.fabric.world.nowNs());
        places.add(operation.wrId);
        if (!operation.isCovered(domain, request)) {
            fabric.world.violate("local memory", operation.opcode + " of memory that its local key does not cover");
            return;
        }
        queue.add(operation);
        fabric.world.trace(() -> device.host + " posts " + operation.opcode + " of " + operation.lengthBytes
                + " bytes, id " + operation.wrId + ", imm " + operation.imm + " on " + number());
        if (!busy) {
            start();
        }
    }

    private void start() {
        busy = true;
        fabric.world.after(fabric.delayNs(), null, this::arrive);
    }

    /** The request at the head has reached the target. */
    private void arrive() {
        Operation operation = queue.peek();
        if (operation == null || flushed) {
            busy = false;
            return;
        }
        SimulatedRegion region = operation.opcode == Opcode.READ ? peer.exported.get(operation.rkey) : null;
        if (region != null && region.isFile() && fabric.reads(true, region.owner())) {
            long ageNs = fabric.world.nowNs() - operation.postedNs;
            fabric.world.after(fabric.latenessNs(ageNs), null, this::arrive);
            return;
        } else if (region != null
                && region.isFile()
                && !operation.isListed
                && region.exceeds(operation.remoteAddress, operation.lengthBytes)) {
            fabric.world.violate("grants", "a READ goes beyond what is written");
            return;
        }
        operation.cut(fabric);
        boolean breaks = fabric.breaksNow();
        if (breaks && fabric.world.chance(40)) {
            fail(operation, CompletionStatus.RETRY_EXC_ERR);
            return;
        }
        fabric.started(this);
        boolean partly = breaks && fabric.world.chance(50);
        step(breaks, partly);
    }

    private void step(boolean breaks, boolean partly) {
        Operation operation = queue.peek();
        if (operation == null || flushed) {
            fabric.finished(this);
            busy = false;
            return;
        }
        if (!operation.isMoved() && !movePiece()) {
            fabric.finished(this);
            fail(operation, refusal());
            return;
        }
        if (partly && fabric.world.chance(50)) {
            fabric.finished(this);
            fail(operation, CompletionStatus.RETRY_EXC_ERR);
        } else if (!operation.isMoved()) {
            fabric.world.after(fabric.pieceNs(), null, () -> step(breaks, partly));
        } else {
            fabric.finished(this);
            arrived(operation, breaks);
        }
    }

    private CompletionStatus refusal() {
        return peer.state() == QueuePairState.CONNECTED ? CompletionStatus.REM_ACCESS_ERR : metEndedPeer();
    }

    private CompletionStatus metEndedPeer() {
        device.metEndedPeer();
        return CompletionStatus.RETRY_EXC_ERR;
    }

    /** Copies one piece of the current request. Returns false if the target refuses it or nothing is left. */
    boolean movePiece() {
        Operation operation = queue.peek();
        if (operation == null || flushed || operation.isMoved()) {
            return false;
        }
        if (peer.state() != QueuePairState.CONNECTED) {
            return false;
        }
        if (operation.lengthBytes > 0) {
            SimulatedRegion region = peer.exported.get(operation.rkey);
            if (region == null
                    || !region.permits(operation.neededAccess(), operation.remoteAddress, operation.lengthBytes)) {
                return false;
            }
        }
        operation.movePiece();
        return true;
    }

    /** All bytes have arrived. */
    private void arrived(Operation operation, boolean acknowledgementLost) {
        if (operation.opcode == Opcode.WRITE_WITH_IMM) {
            if (peer.state() != QueuePairState.CONNECTED) {
                // The peer has left after the bytes were moved, and its receives are flushed.
                fail(operation, metEndedPeer());
                return;
            }
            if (!peer.takeReceive()) {
                fabric.world.violate("receives", "a message of " + device.host + " met no receive");
                fail(operation, CompletionStatus.RNR_RETRY_EXC_ERR);
                return;
            }
            peer.completions.push(
                    peer, 0, CompletionStatus.SUCCESS, Opcode.RECV_WITH_IMM, operation.lengthBytes, operation.imm);
        }
        if (acknowledgementLost) {
            fail(operation, CompletionStatus.RETRY_EXC_ERR);
            return;
        }
        queue.poll();
        if (operation.signaled && state() == QueuePairState.CONNECTED) {
            int byteLen = operation.isReading() ? operation.lengthBytes : 0;
            completeLater(operation, CompletionStatus.SUCCESS, byteLen);
        } else if (operation.signaled) {
            completeLater(operation, CompletionStatus.WR_FLUSH_ERR, 0);
        }
        busy = false;
        if (!queue.isEmpty()) {
            start();
        }
        SimulatedRegion region = operation.opcode == Opcode.READ ? peer.exported.get(operation.rkey) : null;
        if (region != null && !region.isFile()) {
            fabric.reads(false, null);
        }
    }

    private void completeLater(Operation operation, CompletionStatus status, int byteLen) {
        long atNs = Math.max(lastCompletionNs + 1, fabric.world.nowNs() + fabric.delayNs());
        lastCompletionNs = atNs;
        fabric.world.after(atNs - fabric.world.nowNs(), null, () -> {
            if (state() != QueuePairState.CLOSED) {
                completions.push(this, operation.wrId, status, operation.opcode, byteLen, 0);
            }
        });
    }

    private void fail(Operation operation, CompletionStatus status) {
        fabric.world.trace(() -> device.host + ": " + operation.opcode + " fails with " + status);
        if (status == CompletionStatus.REM_ACCESS_ERR) {
            device.fabric.refused(operation, peer.device.host);
        }
        queue.poll();
        busy = false;
        completeLater(operation, status, 0);
        leave(operation.opcode + " failed with " + status);
    }

    private void leave(String why) {
        end(why, false);
    }

    /** Notifies both ends. */
    @Override
    protected void onEnd(String why) {
        if (vanished) {
            return;
        }
        fabric.world.after(fabric.delayNs(), null, this::flush);
        fabric.world.after(
                fabric.delayNs(), device.host, () -> config.listener().onDisconnected(this, why));
        SimulatedQueuePair other = peer;
        if (other != null) {
            fabric.world.after(fabric.delayNs(), null, () -> other.leave("the peer ended the connection: " + why));
        }
    }

    /** The device has released the memory of all outstanding requests. */
    private void flush() {
        if (flushed) {
            return;
        }
        flushed = true;
        for (Operation operation = queue.poll(); operation != null; operation = queue.poll()) {
            completeLater(operation, CompletionStatus.WR_FLUSH_ERR, 0);
        }
        long atNs = Math.max(lastCompletionNs + 1, fabric.world.nowNs());
        fabric.world.after(atNs - fabric.world.nowNs(), null, () -> {
            if (state() != QueuePairState.CLOSED) {
                completions.flushReceives(this);
            }
        });
    }

    /** The owner took the completion, which frees the send queue up to it, including earlier unsignaled requests. */
    void delivered(long wrId, Opcode opcode) {
        if (opcode == Opcode.RECV_WITH_IMM) {
            return;
        }
        while (!places.isEmpty()) {
            if (places.poll() == wrId) {
                return;
            }
        }
    }

    @Override
    public long postReceive(long wrId) {
        if (state() != QueuePairState.CONNECTED) {
            return PostStatus.NOT_CONNECTED;
        } else if (receives == config.receiveDepth()) {
            fabric.world.violate("receive queue", "more receives are posted than the receive queue holds");
            return PostStatus.QUEUE_FULL;
        }
        receives++;
        return PostStatus.POSTED;
    }

    boolean hasReceives() {
        return receives > 0;
    }

    boolean takeReceive() {
        if (receives == 0) {
            return false;
        }
        receives--;
        return true;
    }

    @Override
    public CompletionStage<Void> export(MemoryRegion region) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        fabric.world.after(fabric.delayNs(), device.host, () -> {
            if (state() != QueuePairState.CONNECTED) {
                done.completeExceptionally(new IOException("the connection is lost"));
            } else {
                exported.put(region.rkey(), (SimulatedRegion) region);
                done.complete(null);
            }
        });
        return done;
    }

    /** The process ended. */
    void vanish() {
        vanished = true;
        close();
        flushed = true;
        queue.clear();
        SimulatedQueuePair other = peer;
        if (other != null) {
            fabric.world.after(10 * fabric.delayNs(), null, () -> other.leave("the peer is dead"));
        }
    }

    @Override
    protected void onClose() {
        if (vanished) {
            return;
        }
        flushed = true;
        queue.clear();
        completions.forget(this);
        device.queuePairs.remove(this);
    }
}
