// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

/**
 * Which bytes of a segment to register for a reader. Pure.
 *
 * <p>Where nothing is pinned, the whole file, and of an active segment all that it may grow to. Where registering pins
 * memory: from the page of the position on about a window's length, at least the whole batch that stands there, and at
 * most what the file has. The end is a page's, since the rest of a registered page fills as the file grows.
 *
 * @param startBytes position in the segment, a multiple of {@link #PAGE_BYTES}
 * @param lengthBytes 0: the file has nothing there to register yet
 * @param neededEndBytes the position up to which a region that is already there must reach to be used instead
 */
record SegmentWindow(long startBytes, long lengthBytes, long neededEndBytes) {
    static final int PAGE_BYTES = 4096;

    /** @param fileBytes the file's size; preallocated, it is more than the segment's */
    static SegmentWindow plan(
            boolean pinned, LocateOutcome.Located located, int segmentBytes, long fileBytes, int windowBytes) {
        boolean sealed = located.sealedBytes() >= 0;
        if (!pinned) {
            return new SegmentWindow(0, sealed ? Math.max(1, segmentBytes) : Integer.MAX_VALUE, segmentBytes);
        }
        long position = located.position();
        long start = position - position % PAGE_BYTES;
        long batchEnd = position + located.batchBytes();
        long contentEnd = sealed ? segmentBytes : Math.max(segmentBytes, fileBytes);
        long end = Math.min(Math.max(start + windowBytes, batchEnd), contentEnd);
        // A region that is about to be read to its end is not worth having; one that reaches the end of the log is.
        long neededEnd = Math.min(Math.max(position + windowBytes / 2, batchEnd), segmentBytes);
        return new SegmentWindow(start, Math.max(0, roundUp(end) - start), neededEnd);
    }

    static long roundUp(long bytes) {
        return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    }
}
