// SPDX-License-Identifier: Apache-2.0
package io.slipstream.history;

/** The guarantee of a producer for retries. */
public enum ProducerKind {
    PLAIN,
    IDEMPOTENT,
    TRANSACTIONAL
}
