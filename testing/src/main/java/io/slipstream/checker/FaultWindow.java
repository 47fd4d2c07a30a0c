// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

/**
 * What succeeded while a fault lasted.
 *
 * @param okOperations sends acknowledged, records polled and commits made
 * @param longestGapNs the longest time within it without any of them
 */
public record FaultWindow(
        int fault, String faultClass, String target, long durationNs, long okOperations, long longestGapNs) {}
