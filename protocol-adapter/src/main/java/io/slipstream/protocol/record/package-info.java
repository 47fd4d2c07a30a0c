// SPDX-License-Identifier: Apache-2.0
/**
 * The header of a record batch, and how many records batches claim to hold. Stateless; buffers stay the caller's.
 */
package io.slipstream.protocol.record;
