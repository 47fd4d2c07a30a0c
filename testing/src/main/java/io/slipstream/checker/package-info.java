/**
 * Judges histories. Each of the invariants I1 to I22 is a pure function that finds what contradicts it.
 *
 * <p>{@link io.slipstream.checker.Checker} reads a history twice: first into {@link io.slipstream.checker.Facts}, then
 * through every {@link io.slipstream.checker.Check}. Anomalies have the names that Jepsen gave them, where it has one.
 */
package io.slipstream.checker;
