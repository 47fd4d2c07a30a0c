// SPDX-License-Identifier: Apache-2.0
/**
 * The events of a run as data, from clients, brokers, the RDMA path and the fault injector, stored in a file.
 *
 * <p>A {@link io.slipstream.history.Recorder} writes a history once; it can be read many times. All times are {@code
 * System.nanoTime()} of one host, whose processes share this clock.
 */
package io.slipstream.history;
