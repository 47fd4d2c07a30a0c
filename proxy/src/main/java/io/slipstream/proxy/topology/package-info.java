// SPDX-License-Identifier: Apache-2.0
/**
 * The known brokers: learned from responses to clients, and requested at intervals. One event loop refreshes; any
 * thread may read.
 */
package io.slipstream.proxy.topology;
