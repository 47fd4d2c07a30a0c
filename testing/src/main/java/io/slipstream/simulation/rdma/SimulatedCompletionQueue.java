// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.rdma;

import io.slipstream.rdma.CompletionQueue;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.WorkCompletion;
import io.slipstream.simulation.Descriptors;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** Completions in order of occurrence. */
public final class SimulatedCompletionQueue implements CompletionQueue {
    private record Entry(
            SimulatedQueuePair queuePair, long wrId, CompletionStatus status, Opcode opcode, int byteLen, int imm) {}

    private final ArrayDeque<Entry> entries = new ArrayDeque<>();
    private final List<SimulatedQueuePair> flushing = new ArrayList<>(1);
    private final int descriptor = Descriptors.open();
    private boolean armed;
    private boolean closed;
    private Runnable listener = () -> {};

    /** Notifies an owner with its own simulated thread of each completion. */
    public void onCompletion(Runnable told) {
        listener = told;
    }

    void push(SimulatedQueuePair queuePair, long wrId, CompletionStatus status, Opcode opcode, int byteLen, int imm) {
        if (closed) {
            return;
        }
        entries.add(new Entry(queuePair, wrId, status, opcode, byteLen, imm));
        event();
    }

    private void event() {
        if (armed) {
            armed = false;
            Descriptors.signal(descriptor);
        }
        listener.run();
    }

    /** Flushes receives of the queue pair after all earlier completions. */
    void flushReceives(SimulatedQueuePair queuePair) {
        if (!closed && queuePair.hasReceives()) {
            flushing.add(queuePair);
            event();
        }
    }

    void forget(SimulatedQueuePair queuePair) {
        flushing.remove(queuePair);
    }

    @Override
    public int poll(WorkCompletion[] completions) {
        int filled = 0;
        for (; filled < completions.length && !entries.isEmpty(); filled++) {
            Entry entry = entries.poll();
            entry.queuePair.delivered(entry.wrId, entry.opcode);
            completions[filled].set(
                    entry.wrId, entry.opcode, entry.status, entry.byteLen, entry.imm, entry.queuePair.number());
        }
        while (filled < completions.length && !flushing.isEmpty()) {
            SimulatedQueuePair queuePair = flushing.get(0);
            if (!queuePair.takeReceive()) {
                flushing.remove(0);
                continue;
            }
            completions[filled++].set(0, Opcode.RECV_WITH_IMM, CompletionStatus.WR_FLUSH_ERR, 0, 0, queuePair.number());
        }
        return filled;
    }

    @Override
    public void arm() {
        armed = true;
    }

    @Override
    public void disarm() {
        armed = false;
    }

    @Override
    public void handOver() {}

    @Override
    public int eventFd() {
        return descriptor;
    }

    @Override
    public void acknowledgeEvents() {
        Descriptors.acknowledge(descriptor);
    }

    @Override
    public void close() {
        closed = true;
        entries.clear();
        flushing.clear();
    }
}
