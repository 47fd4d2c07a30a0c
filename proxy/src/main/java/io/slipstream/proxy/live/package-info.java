// SPDX-License-Identifier: Apache-2.0
/**
 * The page that {@code slipstream top} shows: what clients and partitions do now. Pages are made on a thread of
 * their own, from counters that the event loops keep in {@code count}.
 */
package io.slipstream.proxy.live;
