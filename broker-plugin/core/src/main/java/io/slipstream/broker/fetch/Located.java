// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

/**
 * Where a read from an offset begins.
 *
 * @param position byte position in the segment of the first batch whose last offset is at or after the fetch offset
 * @param batchBytes size of that batch, 0 if there is none yet
 * @param sealedBytes the segment's final size, or -1 for the active segment
 */
public record Located(ReadableLog log, ReadableSegment segment, int position, int batchBytes, int sealedBytes) {}
