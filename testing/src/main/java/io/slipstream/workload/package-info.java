// SPDX-License-Identifier: Apache-2.0
/**
 * Stock Java clients that record their operations and observations as a history. At the end, a final read records
 * everything from offset zero, and the package records replica logs, group offsets and transactions. It can also
 * generate a synthetic history to measure the checker.
 */
package io.slipstream.workload;
