package io.slipstream.broker.landing;

import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.rdma.MemoryRegion;
import java.nio.ByteBuffer;
import org.agrona.BufferUtil;

/**
 * Bytes {@code [start, end)} of a segment's file that a proxy may write. The mapping outlives the registration as long as anybody holds a view
 * of it; the bytes are the file's as long as it is not cut below them.
 *
 * @param address of the broker's own mapping, at {@code start}
 */
record LandingWindow(MemoryRegion region, long address, int start, int end) {
    static final int PAGE_BYTES = 4096;

    LandingWindow(MemoryRegion region, int start) {
        this(region, BufferUtil.address(region.buffer()), start, start + (int) region.lengthBytes());
    }

    /** Where the page begins that holds the byte before which {@code position} stands. */
    static int pageOf(int position) {
        return position & -PAGE_BYTES;
    }

    /** As a peer names it: address of position 0, end instead of a length. */
    RemoteMemory name() {
        return new RemoteMemory(region.address() - start, end, region.rkey());
    }

    boolean holds(int position, int lengthBytes) {
        return position >= start && (long) position + lengthBytes <= end;
    }

    /** Whether the bytes are those of the segment from {@code position} on. */
    boolean isAt(ByteBuffer bytes, int position) {
        return bytes.isDirect()
                && holds(position, bytes.limit())
                && BufferUtil.address(bytes) == address + (position - start);
    }

    boolean overlaps(ByteBuffer bytes) {
        return bytes.isDirect()
                && BufferUtil.address(bytes) < address + (end - start)
                && BufferUtil.address(bytes) + bytes.limit() > address;
    }

    /** View of that part of the segment, big-endian. */
    ByteBuffer view(int position, int lengthBytes) {
        return region.buffer().slice(position - start, lengthBytes);
    }
}
