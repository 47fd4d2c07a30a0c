// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.slipstream.link.LiveLink;
import io.slipstream.link.read.ParkedSlot;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.fetch.FetchPartitions;
import io.slipstream.proxy.count.PartitionTable;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * The cursors of one client connection. Clients fetch the same partitions repeatedly, mostly in the same order, so the
 * last request's array is tried before the map. Cursors that are no longer used are released.
 */
public final class CursorTable {
    private static final long IDLE_NS = TimeUnit.SECONDS.toNanos(60);

    private final Map<PartitionKey, Cursor> byKey = new HashMap<>();
    private final PartitionKey probe = new PartitionKey();
    private final Runnable waiter;
    /** Number of located cursors. */
    final LongAdder grants;

    private final PartitionTable activities;
    private final int mostCursors;
    /** By entry of the last resolved request. */
    public Cursor[] entries = new Cursor[8];

    int entryCount;
    private long requests;

    public CursorTable(Runnable waiter, LongAdder grants, PartitionTable activities, int mostCursors) {
        this.activities = activities;
        this.waiter = waiter;
        this.grants = grants;
        this.mostCursors = mostCursors;
    }

    /** Finds or creates the cursor of each entry; false if a partition is named twice. */
    public boolean resolve(FetchPartitions partitions, long nowNs) {
        int count = partitions.count;
        requests++;
        if (entries.length < count) {
            entries = java.util.Arrays.copyOf(entries, Integer.highestOneBit(count) * 2);
        }
        for (int i = 0; i < count; i++) {
            Cursor cursor = entries[i];
            if (cursor == null || i >= entryCount || !cursor.key.matches(partitions, i)) {
                cursor = find(partitions, i);
                entries[i] = cursor;
            }
            if (cursor.usedByRequest == requests) {
                entryCount = 0;
                return false;
            }
            cursor.usedByRequest = requests;
            cursor.usedAtNs = nowNs;
        }
        entryCount = count;
        return true;
    }

    private Cursor find(FetchPartitions partitions, int entry) {
        Cursor cursor = byKey.get(probe.of(partitions, entry));
        if (cursor == null) {
            cursor = new Cursor(probe.copy(), new ParkedSlot(waiter), probe.in(activities));
            byKey.put(cursor.key, cursor);
        }
        return cursor;
    }

    /** Releases the cursor's grants; it must be located again. */
    void lose(LiveLink link, Cursor cursor) {
        if (cursor.isLocated()) {
            link.segments.release(cursor.segment);
            cursor.segment = null;
            grants.decrement();
        }
    }

    /** Drops cursors that no request has named for long, or all but those of this request if there are too many. */
    void dropIdle(LiveLink link, int sessionId, long nowNs) {
        boolean tooMany = byKey.size() > mostCursors;
        for (Iterator<Cursor> all = byKey.values().iterator(); all.hasNext(); ) {
            Cursor cursor = all.next();
            if (cursor.usedByRequest != requests && (tooMany || nowNs - cursor.usedAtNs > IDLE_NS)) {
                all.remove();
                if (cursor.isLocated()) {
                    link.tell(new ControlRequest.ReleaseSlot(link.linkId(), sessionId, cursor.slot, cursor.generation));
                    lose(link, cursor);
                }
            }
        }
    }

    /** The session is lost, with all grants. {@code link} may be down. */
    void clear(LiveLink link) {
        for (Cursor cursor : byKey.values()) {
            lose(link, cursor);
        }
        byKey.clear();
        java.util.Arrays.fill(entries, null);
        entryCount = 0;
    }
}
