// SPDX-License-Identifier: Apache-2.0
/**
 * Checks histories. Each of the invariants I1 to I22 is a pure function that finds contradictions.
 *
 * <p>{@link io.slipstream.checker.Checker} reads a history twice: first into {@link io.slipstream.checker.Facts}, then
 * through every {@link io.slipstream.checker.Check}. Anomalies have Jepsen's names where they exist.
 */
package io.slipstream.checker;
