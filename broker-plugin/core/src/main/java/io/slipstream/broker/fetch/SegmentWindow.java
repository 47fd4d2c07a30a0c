// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

/**
 * The bytes of a segment that are registered for a reader. Computed without side effects.
 *
 * <p>If the provider pins nothing, the window is the whole file, and for an active segment all bytes that it may grow
 * to. If registering pins memory, the window starts at the page of the position and has about the configured length. It
 * covers at least the batch at the position, and at most the bytes of the file. Its end is rounded up to a page,
 * because the rest of a registered page fills as the file grows.
 *
 * @param startBytes position in the segment, a multiple of {@link #PAGE_BYTES}
 * @param lengthBytes 0 if the file has no bytes to register there yet
 * @param neededEndBytes end position that an existing region must cover to be used instead
 */
record SegmentWindow(long startBytes, long lengthBytes, long neededEndBytes) {
    static final int PAGE_BYTES = 4096;

    /** @param fileBytes the size of the file; a preallocated file is larger than its segment */
    static SegmentWindow plan(boolean pinned, Located located, int segmentBytes, long fileBytes, int windowBytes) {
        boolean sealed = located.sealedBytes() >= 0;
        if (!pinned) {
            return new SegmentWindow(0, sealed ? Math.max(1, segmentBytes) : Integer.MAX_VALUE, segmentBytes);
        }
        long position = located.position();
        long start = position - position % PAGE_BYTES;
        long batchEnd = position + located.batchBytes();
        long contentEnd = sealed ? segmentBytes : Math.max(segmentBytes, fileBytes);
        long end = Math.min(Math.max(start + windowBytes, batchEnd), contentEnd);
        // An existing region is used if it covers the batch and half a window, or reaches the end of the segment.
        long neededEnd = Math.min(Math.max(position + windowBytes / 2, batchEnd), segmentBytes);
        return new SegmentWindow(start, Math.max(0, roundUp(end) - start), neededEnd);
    }

    static long roundUp(long bytes) {
        return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    }
}
