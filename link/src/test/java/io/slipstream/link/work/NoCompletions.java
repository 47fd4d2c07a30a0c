// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.work;

import io.slipstream.rdma.CompletionQueue;
import io.slipstream.rdma.WorkCompletion;

/** A completion queue that stays empty. */
class NoCompletions implements CompletionQueue {
    @Override
    public int poll(WorkCompletion[] completions) {
        return 0;
    }

    @Override
    public void arm() {}

    @Override
    public void handOver() {}

    @Override
    public int eventFd() {
        return 0;
    }

    @Override
    public void acknowledgeEvents() {}

    @Override
    public void close() {}
}
