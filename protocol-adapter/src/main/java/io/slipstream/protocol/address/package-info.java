// SPDX-License-Identifier: Apache-2.0
/**
 * Replaces broker addresses in Kafka responses and limits ApiVersions to the versions that can be rewritten. Objects
 * are not thread-safe. Buffers belong to the caller.
 */
package io.slipstream.protocol.address;
