// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

/** The outcome of a transaction as far as its client knows. */
enum TransactionState {
    /** Started without a requested end. It can only become aborted. */
    OPEN,
    COMMITTED,
    ABORTED,
    /** A commit with an unknown outcome. */
    UNKNOWN
}
