// SPDX-License-Identifier: Apache-2.0
/**
 * Counters of clients and partitions. Each counter has one writer, its event loop, and any thread may read it; a reader
 * may see a value that is some additions old. Counting allocates nothing once a client or partition is known.
 */
package io.slipstream.proxy.count;
