// SPDX-License-Identifier: Apache-2.0
/**
 * The interface between a session and a fast path. A session submits requests. A fast path answers each of them, or
 * returns it unchanged for TCP with a {@link io.slipstream.proxy.spi.FallbackReason}. Either has its effect in the
 * session's next turn, never before the call returns. All calls run on the client's event loop.
 */
package io.slipstream.proxy.spi;
