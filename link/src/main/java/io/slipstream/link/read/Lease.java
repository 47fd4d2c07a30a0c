// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.read;

import io.slipstream.link.memory.LinkMemory;
import io.slipstream.link.work.CompletionHandler;
import io.slipstream.link.work.LinkPort;
import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.protocol.slot.SlotLayout;
import io.slipstream.protocol.slot.SlotTableHeader;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.MemoryRegion;
import java.nio.ByteBuffer;

/**
 * Whether the slot table belongs to a live broker: its heartbeat must have changed within the lease. A READ that sees a
 * new heartbeat proves only that it changed after the previous READ. The lease therefore starts at the post of the
 * previous READ; otherwise a proxy that was suspended could accept a beat from before its suspension. The link's timer
 * refreshes the lease, and so does a reader that finds it older than half a lease.
 */
public final class Lease implements CompletionHandler {
    /**
     * As often as the broker's heartbeat: after one missed refresh and one missed beat the lease is still younger than
     * half.
     */
    public static final int LOOKS_PER_LEASE = 8;

    private final LinkPort port;
    private final RemoteMemory table;
    private final long bootId;
    private final long leaseNs;
    private final MemoryRegion words;
    private final ByteBuffer bytes;
    private final SlotTableHeader header = new SlotTableHeader();

    private long heartbeat = Long.MIN_VALUE;
    /** Lower bound of the time of the heartbeat's last change. */
    private long movedAtNs;
    /** Post time of the last READ that returned the heartbeat. */
    private long seenAtNs;

    private long postedAtNs;
    private boolean outstanding;
    private boolean foreign;
    private boolean closed;

    public Lease(LinkPort port, RemoteMemory table, LinkMemory memory, long bootId, long leaseNs) {
        this.port = port;
        this.table = table;
        this.bootId = bootId;
        this.leaseNs = leaseNs;
        this.words = memory.words();
        this.bytes = words.buffer().slice(LinkMemory.TABLE_HEADER, SlotLayout.HEADER_BYTES);
        // The broker has just answered on the control channel, which is equivalent to a beat.
        this.seenAtNs = System.nanoTime();
        this.movedAtNs = seenAtNs - leaseNs;
    }

    /** Posts a READ of the header unless one is outstanding. */
    public void refresh() {
        if (outstanding || closed) {
            return;
        }
        postedAtNs = System.nanoTime();
        long address = words.address() + LinkMemory.TABLE_HEADER;
        outstanding = port.read(this, words.lkey(), address, SlotLayout.HEADER_BYTES, table.address(), table.rkey());
    }

    /** Whether a reader should call {@link #refresh} before it relies on the lease. */
    public boolean isAging() {
        return System.nanoTime() - movedAtNs >= leaseNs / 2;
    }

    /** Whether a grant that was valid at that time, even if it has been revoked since, still keeps its region. */
    public boolean covers(long atNs) {
        return System.nanoTime() - atNs < leaseNs / 2;
    }

    /** Whether slots are valid now. */
    public boolean isFresh() {
        return !foreign && System.nanoTime() - movedAtNs < leaseNs;
    }

    /** Whether the table belongs to another broker than the one that answered Hello. */
    public boolean isForeign() {
        return foreign;
    }

    @Override
    public void onWorkCompleted(CompletionStatus status, int byteLen) {
        outstanding = false;
        if (status != CompletionStatus.SUCCESS || closed) {
            return;
        }
        header.wrap(bytes, 0);
        foreign = !header.isValid() || header.bootId() != bootId;
        if (foreign) {
            return;
        }
        if (header.heartbeat() != heartbeat) {
            heartbeat = header.heartbeat();
            movedAtNs = seenAtNs;
        }
        seenAtNs = postedAtNs;
    }

    public void close() {
        closed = true;
    }
}
