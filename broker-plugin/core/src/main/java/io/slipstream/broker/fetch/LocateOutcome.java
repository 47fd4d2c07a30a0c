// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

/** What the broker's state says about a wish to read. */
public sealed interface LocateOutcome {
    /**
     * @param position byte position in the segment of the first batch whose last offset is at or after the fetch offset
     * @param batchBytes size of that batch, 0 if there is none yet
     * @param sealedBytes the segment's final size, or -1 while it is appended to
     */
    record Located(ReadableLog log, ReadableSegment segment, int position, int batchBytes, int sealedBytes)
            implements LocateOutcome {}

    /** The broker's own answer is needed; {@code reason} is for operators. */
    record Refused(String reason) implements LocateOutcome {}
}
