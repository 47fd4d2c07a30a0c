// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.ring;

import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.PostStatus;
import io.slipstream.rdma.QueuePair;
import io.slipstream.rdma.WorkRequest;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Shows each posted request, and carries out nothing. */
final class StubQueuePair extends QueuePair {
    private final Consumer<WorkRequest> onPost;

    StubQueuePair(Consumer<WorkRequest> onPost) {
        super(null, 1);
        this.onPost = onPost;
    }

    @Override
    public long post(WorkRequest request) {
        onPost.accept(request);
        return PostStatus.POSTED;
    }

    @Override
    public long postReceive(long wrId) {
        throw new UnsupportedOperationException("postReceive");
    }

    @Override
    public CompletionStage<Void> export(MemoryRegion region) {
        throw new UnsupportedOperationException("export");
    }

    @Override
    protected void onEnd(String reason) {}

    @Override
    protected void onClose() {}
}
