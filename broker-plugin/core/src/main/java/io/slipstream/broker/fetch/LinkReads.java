// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import io.slipstream.broker.session.BoundSession;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.control.RemoteMemory;
import java.util.concurrent.CompletionStage;
import java.util.function.IntFunction;

/**
 * What one link may read: its slot table, arm table, granted partitions and exported segments. Called by the control
 * thread only; the broker's own threads update slots behind it.
 */
public interface LinkReads extends AutoCloseable {
    /** Completes when the peer can use slot table and arm table; exceptionally if the connection breaks first. */
    CompletionStage<Void> exported();

    /** Slot table and arm table, to be named in AttachLink's answer once {@link #exported}. */
    RemoteMemory slotTable();

    RemoteMemory armTable();

    int slotCount();

    /** Never fails exceptionally: refusals are answers. May complete on another thread. */
    CompletionStage<ControlResponse.Locate> locate(BoundSession session, ControlRequest.Locate request);

    /** Never fails exceptionally: refusals are answers. May complete on another thread. */
    CompletionStage<ControlResponse.ListAborted> listAborted(ControlRequest.ListAborted request);

    ControlResponse.ReleaseSegment releaseSegment(ControlRequest.ReleaseSegment request);

    ControlResponse.ReleaseSlot releaseSlot(ControlRequest.ReleaseSlot request);

    /**
     * Enters what the proxy served into the broker's books. Never fails exceptionally; completes on another thread.
     *
     * @param bound the link's sessions by id, null for what is none; asked before this returns
     */
    CompletionStage<ControlResponse.ReportReads> report(
            ControlRequest.ReportReads request, IntFunction<BoundSession> bound);

    /** Gives back all that the session held; what is reported of it in the next moments still counts. */
    void sessionClosed(BoundSession session);

    /** Gives back everything, regions included: the last call, not on the control thread. Idempotent. */
    @Override
    void close();

    /** Completes, never exceptionally, when all of this link's memory has been given back after {@link #close}. */
    CompletionStage<Void> freed();
}
