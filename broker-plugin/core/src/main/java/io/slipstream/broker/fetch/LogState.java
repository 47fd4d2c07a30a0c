// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

/** The changing part of a slot. The object is reused and belongs to the holder of the log's monitor. */
public final class LogState {
    /** Base offset of the segment that contains the high watermark. */
    public long segmentBaseOffset;

    public long highWatermark;
    /** Byte position of the high watermark in that segment. */
    public int highWatermarkPosition;

    public long lastStableOffset;
    public long logStartOffset;

    boolean sameAs(LogState other) {
        return highWatermark == other.highWatermark
                && highWatermarkPosition == other.highWatermarkPosition
                && segmentBaseOffset == other.segmentBaseOffset
                && lastStableOffset == other.lastStableOffset
                && logStartOffset == other.logStartOffset;
    }

    /** Returns whether committed bytes would disappear or change place for a reader who saw {@code earlier}. */
    boolean wentBackFrom(LogState earlier) {
        return highWatermark < earlier.highWatermark
                || segmentBaseOffset < earlier.segmentBaseOffset
                || (segmentBaseOffset == earlier.segmentBaseOffset
                        && highWatermarkPosition < earlier.highWatermarkPosition)
                || logStartOffset < earlier.logStartOffset;
    }
}
