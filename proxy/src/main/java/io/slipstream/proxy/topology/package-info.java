// SPDX-License-Identifier: Apache-2.0
/**
 * Which brokers there are: learned from responses that pass through, and asked for at intervals. One event loop
 * refreshes; any thread may read.
 */
package io.slipstream.proxy.topology;
