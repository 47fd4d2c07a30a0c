/**
 * Judges histories: for each of the invariants I1 to I22 a pure function that finds what contradicts it. {@link io.slipstream.checker.Checker} reads a history twice, first into
 * {@link io.slipstream.checker.Facts}, then through every {@link io.slipstream.checker.Check}; the anomalies have the names that Jepsen gave them where it has one.
 */
package io.slipstream.checker;
