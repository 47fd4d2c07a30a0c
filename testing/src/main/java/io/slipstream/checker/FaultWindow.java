// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

/**
 * Operations during one fault.
 *
 * @param okOperations acknowledged sends, polled records and commits
 * @param longestGapNs the longest time during the fault without such an operation
 */
public record FaultWindow(
        int fault, String faultClass, String target, long durationNs, long okOperations, long longestGapNs) {}
