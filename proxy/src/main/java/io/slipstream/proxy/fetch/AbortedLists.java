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
 * The aborted transactions that the answer to a read_committed Fetch lists for each partition: kept from the plugin's
 * earlier answers, asked for where those do not reach far enough. Allocates nothing while the slots say that there are
 * none. Confined to the event loop.
 */
public final class AbortedLists {
    private final Runnable onAnswered;
    private final SlotView slot = new SlotView();
    /** By entry, where in its segment the read ended. */
    private int[] endBytes = new int[8];

    private int open;
    private boolean refused;
    /** Answers to earlier questions are late. */
    private long asking;

    /** @param onAnswered run when the questions that {@link #ask} put are answered */
    public AbortedLists(Runnable onAnswered) {
        this.onAnswered = onAnswered;
    }

    /** Notes that the entry was read up to that position of its segment. */
    void readTo(int entry, int position) {
        if (entry >= endBytes.length) {
            endBytes = java.util.Arrays.copyOf(endBytes, Integer.highestOneBit(entry) * 2);
        }
        endBytes[entry] = position;
    }

    /**
     * Asks for what is not known.
     *
     * @param slots as they were after the records had been read
     * @param nextOffsets by entry, behind the records
     * @param recordBytes by entry; as at a broker, a partition for which nothing was left of the limits has a list, too
     * @return how many questions were put; all are answered by one call of the handler, later
     */
    int ask(
            LiveLink link,
            int sessionId,
            FetchRequestView request,
            ReadPlan plan,
            Cursor[] cursors,
            SlotSource slots,
            long[] nextOffsets,
            int[] recordBytes) {
        open = 0;
        refused = false;
        long now = ++asking;
        for (int i = 0; i < request.partitionCount(); i++) {
            if (plan.availableBytes[i] > 0 && !plan.firstBatchTooLarge[i]) {
                if (plan.lengthBytes[i] == 0) {
                    readTo(i, cursors[i].position);
                }
                long fetchOffset = request.fetchOffset(i);
                long needed = recordBytes[i] > 0 ? nextOffsets[i] : fetchOffset + 1;
                slots.slotOf(i, slot);
                if (!cursors[i].aborted.covers(fetchOffset, needed, endBytes[i], slot)) {
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

    /** Whether any question of the last {@link #ask} was refused or not answered in time. */
    boolean isRefused() {
        return refused;
    }

    /** Answers that come from now on are not waited for. */
    void abandon() {
        asking++;
    }

    /**
     * Lowers the plan's limits to what is known; true if that changes what may be served. False again means that all is
     * known.
     */
    boolean limit(
            FetchRequestView request,
            Cursor[] cursors,
            SlotSource slots,
            long[] nextOffsets,
            int[] recordBytes,
            ReadPlan plan) {
        boolean changed = false;
        for (int i = 0; i < request.partitionCount(); i++) {
            if (recordBytes[i] > 0) {
                slots.slotOf(i, slot);
                long completeTo = cursors[i].aborted.completeTo(request.fetchOffset(i), slot);
                if (completeTo < nextOffsets[i]) {
                    plan.limitOffset[i] = completeTo;
                    changed = true;
                }
            }
        }
        return changed;
    }

    /** How many the answer lists for that entry, of which something was readable. */
    int count(int entry, Cursor cursor, long fetchOffset) {
        int count = 0;
        for (int k = 0; k < cursor.aborted.size(); k++) {
            count += cursor.aborted.isListed(k, fetchOffset, endBytes[entry]) ? 1 : 0;
        }
        return count;
    }

    void write(int entry, Cursor cursor, long fetchOffset, FetchResponseWriter writer) {
        for (int k = 0; k < cursor.aborted.size(); k++) {
            if (cursor.aborted.isListed(k, fetchOffset, endBytes[entry])) {
                AbortedTransaction aborted = cursor.aborted.get(k);
                writer.abortedTransaction(aborted.producerId(), aborted.firstOffset());
            }
        }
    }
}
