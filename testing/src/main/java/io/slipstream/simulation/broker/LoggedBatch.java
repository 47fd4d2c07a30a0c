// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.broker;

/**
 * A batch in a log.
 *
 * @param bytes bytes in the segment, including base offset and leader epoch
 */
public record LoggedBatch(
        ModelSegment segment,
        int position,
        long baseOffset,
        long lastOffset,
        int producerId,
        int sequence,
        byte[] bytes) {
    int endPosition() {
        return position + bytes.length;
    }
}
