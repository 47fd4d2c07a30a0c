// SPDX-License-Identifier: Apache-2.0
/**
 * What a session and a fast path know of each other. A session offers requests; a fast path answers each of them,
 * or gives it back untouched for TCP with a {@link io.slipstream.proxy.spi.FallbackReason}. All calls are made on
 * the client's event loop.
 */
package io.slipstream.proxy.spi;
