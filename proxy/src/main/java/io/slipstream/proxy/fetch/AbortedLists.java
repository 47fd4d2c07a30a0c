// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.slipstream.link.LiveLink;
import io.slipstream.protocol.control.AbortedTransaction;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.fetch.FetchRequestView;
import io.slipstream.protocol.fetch.FetchResponseWriter;
import io.slipstream.protocol.slot.SlotView;

/**
 * The aborted transactions that the answer to a read_committed Fetch lists for each partition. They come from the
 * plugin's earlier answers, and from new requests where those do not suffice. Allocates nothing while the slots show
 * that there are none. Confined to the event loop.
 */
public final class AbortedLists {
    private final Runnable onAnswered;
    private final SlotView slot = new SlotView();
    private int open;
    /** Whether any request of the last {@link #ask} was refused or timed out. */
    boolean refused;
    /** Number of the current set of requests; answers to earlier ones are late. */
    private long asking;

    /** @param onAnswered run when all requests of {@link #ask} are answered */
    public AbortedLists(Runnable onAnswered) {
        this.onAnswered = onAnswered;
    }

    /**
     * Requests the unknown lists.
     *
     * @param slots as read after the records
     * @param plan with the records; as at a broker, a partition without bytes left in the limits has a list, too
     * @return number of requests; one later call of the handler reports all answers
     */
    int ask(LiveLink link, int sessionId, FetchRequestView request, ReadPlan plan, Cursor[] cursors, SlotSource slots) {
        open = 0;
        refused = false;
        long now = ++asking;
        for (int i = 0; i < request.partitions.count; i++) {
            ReadPlan.Entry entry = plan.entries[i];
            if (entry.availableBytes > 0 && !entry.firstBatchTooLarge) {
                if (entry.lengthBytes == 0) {
                    entry.readToPosition = cursors[i].position;
                }
                long fetchOffset = request.partitions.fetchOffset(i);
                long needed = entry.recordBytes > 0 ? entry.nextOffset : fetchOffset + 1;
                slots.slotOf(i, slot);
                if (!cursors[i].aborted.covers(fetchOffset, needed, entry.readToPosition, slot)) {
                    open++;
                    ask(link, sessionId, cursors[i], fetchOffset, now);
                }
            }
        }
        return open;
    }

    private void ask(LiveLink link, int sessionId, Cursor cursor, long fetchOffset, long now) {
        ControlRequest.ListAborted question = new ControlRequest.ListAborted(
                link.linkId(), sessionId, cursor.slot, cursor.generation, cursor.segmentBaseOffset, fetchOffset);
        link.ask(question, response -> {
            if (now == asking) {
                if (link.isUp()
                        && response instanceof ControlResponse.ListAborted answer
                        && answer.error() == ControlError.NONE) {
                    cursor.aborted.know(answer, fetchOffset);
                } else {
                    refused = true;
                }
                if (--open == 0) {
                    onAnswered.run();
                }
            }
        });
    }

    /** Ignores later answers. */
    void abandon() {
        asking++;
    }

    /**
     * Lowers the plan's limits to the known lists.
     *
     * @return true if that changes the data to serve; false once all lists are known
     */
    boolean limit(FetchRequestView request, Cursor[] cursors, SlotSource slots, ReadPlan plan) {
        boolean changed = false;
        for (int i = 0; i < request.partitions.count; i++) {
            ReadPlan.Entry entry = plan.entries[i];
            if (entry.recordBytes > 0) {
                slots.slotOf(i, slot);
                long completeTo = cursors[i].aborted.completeTo(request.partitions.fetchOffset(i), slot);
                if (completeTo < entry.nextOffset) {
                    entry.limitOffset = completeTo;
                    changed = true;
                }
            }
        }
        return changed;
    }

    /** Number of transactions in the answer for that entry, of which data was readable. */
    int count(ReadPlan.Entry entry, Cursor cursor, long fetchOffset) {
        int count = 0;
        for (int k = 0; k < cursor.aborted.size(); k++) {
            count += cursor.aborted.isListed(k, fetchOffset, entry.readToPosition) ? 1 : 0;
        }
        return count;
    }

    void write(ReadPlan.Entry entry, Cursor cursor, long fetchOffset, FetchResponseWriter writer) {
        for (int k = 0; k < cursor.aborted.size(); k++) {
            if (cursor.aborted.isListed(k, fetchOffset, entry.readToPosition)) {
                AbortedTransaction aborted = cursor.aborted.get(k);
                writer.abortedTransaction(aborted.producerId(), aborted.firstOffset());
            }
        }
    }
}
