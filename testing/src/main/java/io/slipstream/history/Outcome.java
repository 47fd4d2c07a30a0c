// SPDX-License-Identifier: Apache-2.0
package io.slipstream.history;

/** The outcome of an operation as far as its client can know. */
public enum Outcome {
    /** The operation happened. */
    OK,
    /** The operation did not happen and never will. */
    FAILED,
    /** The operation may have happened or may still happen, for example after a timeout or a lost connection. */
    UNKNOWN
}
