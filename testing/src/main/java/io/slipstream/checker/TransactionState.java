// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

/** What became of a transaction, as far as its client knows. */
enum TransactionState {
    /** Begun, and its end was never asked for. It can only become aborted. */
    OPEN,
    COMMITTED,
    ABORTED,
    /** A commit whose outcome is not known. */
    UNKNOWN
}
