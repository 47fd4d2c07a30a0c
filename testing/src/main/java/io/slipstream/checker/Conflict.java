// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

/**
 * Two contradictory facts about offsets and values.
 *
 * @param kind the anomaly's name
 * @param other the other value at the offset, or the other offset of the value
 * @param seenBy the observation
 */
record Conflict(String kind, int partition, long offset, long value, long other, String seenBy) {}
