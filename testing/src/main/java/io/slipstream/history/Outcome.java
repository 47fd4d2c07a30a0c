// SPDX-License-Identifier: Apache-2.0
package io.slipstream.history;

/** How an operation ended, as far as its client can know. */
public enum Outcome {
    /** It happened. */
    OK,
    /** It did not happen and never will. */
    FAILED,
    /** It may have happened, or may yet: a time-out, a lost connection. */
    UNKNOWN
}
