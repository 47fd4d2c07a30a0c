// SPDX-License-Identifier: Apache-2.0
package io.slipstream.history;

/** What a producer promises about its retries. */
public enum ProducerKind {
    PLAIN,
    IDEMPOTENT,
    TRANSACTIONAL
}
