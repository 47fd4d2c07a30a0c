// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

/**
 * Two facts about offsets and values that cannot both be true.
 *
 * @param kind the anomaly's name
 * @param other the other value at the offset, or the other offset of the value
 * @param seenBy how it was seen
 */
record Conflict(String kind, int partition, long offset, long value, long other, String seenBy) {}
