// SPDX-License-Identifier: Apache-2.0
/**
 * Rewrites addresses of brokers in Kafka responses, in place, and narrows ApiVersions to what can be rewritten.
 * Each object is used by one thread; buffers stay the caller's.
 */
package io.slipstream.protocol.address;
