// SPDX-License-Identifier: Apache-2.0
/**
 * Kafka's wire types: cursors over frames, the shape of every request and response, and a guard that bounds what
 * Kafka's own readers would allocate. Cursors are flyweights for one thread; shapes are immutable.
 */
package io.slipstream.protocol.wire;
