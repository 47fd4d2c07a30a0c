// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation;

/**
 * A broken invariant.
 *
 * @param invariant its short name
 * @param atNs virtual time
 * @param cause what was thrown, or null
 */
public record Violation(String invariant, String message, long atNs, Throwable cause) {
    @Override
    public String toString() {
        return invariant + " at " + atNs / 1000 + " us: " + message;
    }
}
