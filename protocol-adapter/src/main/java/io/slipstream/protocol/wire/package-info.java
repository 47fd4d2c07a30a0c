// SPDX-License-Identifier: Apache-2.0
/**
 * Kafka's wire types: cursors over frames, the schema of every response, and a guard that bounds the
 * allocations of Kafka's own readers. Cursors are flyweights for one thread; schemas are immutable.
 */
package io.slipstream.protocol.wire;
