// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.broker;

/**
 * A batch in a log.
 *
 * @param bytes as they stand in the segment, base offset and leader epoch included
 */
public record LoggedBatch(
        ModelSegment segment,
        int position,
        long baseOffset,
        long lastOffset,
        int producerId,
        int sequence,
        byte[] bytes) {}
