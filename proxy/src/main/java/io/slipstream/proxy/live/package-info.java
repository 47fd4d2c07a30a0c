// SPDX-License-Identifier: Apache-2.0
/**
 * The page of {@code slipstream top}: the current activity of clients and partitions. Pages are created on their own
 * thread, from counters that the event loops keep in {@code count}.
 */
package io.slipstream.proxy.live;
