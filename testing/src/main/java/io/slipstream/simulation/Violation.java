// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation;

/**
 * A violated invariant.
 *
 * @param invariant its short name
 * @param atNs virtual time
 * @param cause the exception, or null
 */
public record Violation(String invariant, String message, long atNs, Throwable cause) {
    @Override
    public String toString() {
        return invariant + " at " + atNs / 1000 + " us: " + message;
    }
}
