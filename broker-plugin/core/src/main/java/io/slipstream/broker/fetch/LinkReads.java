// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import io.slipstream.broker.session.BoundSession;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.control.RemoteMemory;
import java.util.concurrent.CompletionStage;
import java.util.function.IntFunction;

/**
 * The read access of one link: its slot table, arm table, granted partitions and exported segments. The control thread
 * calls it; the broker's own threads update the slots.
 */
public interface LinkReads extends AutoCloseable {
    /**
     * Completes when the peer can use the slot table and the arm table. Completes exceptionally if the connection
     * breaks first.
     */
    CompletionStage<Void> exported();

    /** Returns the slot table, for the answer to AttachLink, once {@link #exported}. */
    RemoteMemory slotTable();

    RemoteMemory armTable();

    int slotCount();

    /** Never completes exceptionally: a refusal is an answer. May complete on another thread. */
    CompletionStage<ControlResponse.Locate> locate(BoundSession session, ControlRequest.Locate request);

    /** Never completes exceptionally: a refusal is an answer. May complete on another thread. */
    CompletionStage<ControlResponse.ListAborted> listAborted(ControlRequest.ListAborted request);

    ControlResponse.ReleaseSegment releaseSegment(ControlRequest.ReleaseSegment request);

    ControlResponse.ReleaseSlot releaseSlot(ControlRequest.ReleaseSlot request);

    /**
     * Enters the proxy's reads into the broker's metrics and quotas. Never completes exceptionally; completes on
     * another thread.
     *
     * @param bound returns the link's session of an id, null if there is none; not called after this method returns
     */
    CompletionStage<ControlResponse.ReportReads> report(
            ControlRequest.ReportReads request, IntFunction<BoundSession> bound);

    /** Releases all grants of the session. Reports about it still count for a moment. */
    void sessionClosed(BoundSession session);

    /** Releases everything, regions included. This is the last call, and not on the control thread. Idempotent. */
    @Override
    void close();

    /** Completes, never exceptionally, when all memory of this link is free after {@link #close}. */
    CompletionStage<Void> freed();
}
