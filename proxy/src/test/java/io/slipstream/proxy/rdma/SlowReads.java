// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

import io.slipstream.rdma.CompletionQueue;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.WorkCompletion;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;

/** A completion queue that can withhold the completions of READs, like a device that still writes their data. */
final class SlowReads implements CompletionQueue {
    /** While true, no READ completes, over all queues. */
    static volatile boolean withheld;
    /** Longer READs do not complete, over all queues. */
    static volatile int withheldAboveBytes = Integer.MAX_VALUE;
    /** READs that completed, over all queues. */
    static final AtomicInteger COMPLETED = new AtomicInteger();

    final CompletionQueue shm;
    private final ArrayDeque<WorkCompletion> kept = new ArrayDeque<>();

    SlowReads(CompletionQueue shm) {
        this.shm = shm;
    }

    @Override
    public int poll(WorkCompletion[] completions) {
        int filled = 0;
        while (!kept.isEmpty() && !isWithheld(kept.peek()) && filled < completions.length) {
            copy(kept.poll(), completions[filled++]);
        }
        if (filled > 0) {
            return filled;
        }
        int polled = shm.poll(completions);
        for (int i = 0; i < polled; i++) {
            COMPLETED.addAndGet(completions[i].opcode == Opcode.READ ? 1 : 0);
            if (isWithheld(completions[i])) {
                WorkCompletion copy = new WorkCompletion();
                copy(completions[i], copy);
                kept.add(copy);
            } else {
                copy(completions[i], completions[filled++]);
            }
        }
        return filled;
    }

    private static boolean isWithheld(WorkCompletion completion) {
        return completion.opcode == Opcode.READ && (withheld || completion.byteLen > withheldAboveBytes);
    }

    private static void copy(WorkCompletion from, WorkCompletion to) {
        to.wrId = from.wrId;
        to.status = from.status;
        to.opcode = from.opcode;
        to.byteLen = from.byteLen;
        to.imm = from.imm;
        to.qpNumber = from.qpNumber;
        to.vendorError = from.vendorError;
    }

    @Override
    public void arm() {
        shm.arm();
    }

    @Override
    public void handOver() {}

    @Override
    public int eventFd() {
        return shm.eventFd();
    }

    /** Readable while a completion is withheld, so that the end of withholding is noticed. */
    @Override
    public void acknowledgeEvents() {
        if (kept.isEmpty()) {
            shm.acknowledgeEvents();
        }
    }

    @Override
    public void close() {
        shm.close();
    }
}
