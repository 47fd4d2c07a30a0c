package io.slipstream.broker.fetch;

import io.slipstream.broker.session.BoundSession;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.rdma.ProtectionDomain;
import io.slipstream.rdma.QueuePair;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntConsumer;
import org.apache.kafka.common.Uuid;

/** Grants no reads: fetches stay on TCP. */
public final class RefusingLogs implements ReadableLogs {
    @Override
    public LinkReads open(ProtectionDomain domain, QueuePair queuePair, IntConsumer doorbell) {
        return new RefusingReads();
    }

    @Override
    public void close() {}

    private static final class RefusingReads implements LinkReads {
        private static final String REASON = "this broker grants no reads";

        @Override
        public RemoteMemory slotTable() {
            return RemoteMemory.NONE;
        }

        @Override
        public RemoteMemory armTable() {
            return RemoteMemory.NONE;
        }

        @Override
        public int slotCount() {
            return 0;
        }

        @Override
        public CompletionStage<ControlResponse.Locate> locate(BoundSession session, ControlRequest.Locate request) {
            return CompletableFuture.completedFuture(new ControlResponse.Locate(
                    ControlError.NOT_READABLE, REASON, Uuid.ZERO_UUID, "", 0, 0, 0, 0, RemoteMemory.NONE, 0));
        }

        @Override
        public ControlResponse.ReleaseSegment releaseSegment(ControlRequest.ReleaseSegment request) {
            return new ControlResponse.ReleaseSegment(ControlError.UNKNOWN_HANDLE, REASON);
        }

        @Override
        public ControlResponse.ReleaseSlot releaseSlot(ControlRequest.ReleaseSlot request) {
            return new ControlResponse.ReleaseSlot(ControlError.UNKNOWN_HANDLE, REASON);
        }

        @Override
        public void sessionClosed(int sessionId) {}

        @Override
        public void close() {}
    }
}
