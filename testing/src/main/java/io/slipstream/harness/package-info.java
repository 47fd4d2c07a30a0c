// SPDX-License-Identifier: Apache-2.0
/**
 * Test access to running processes: plugin counters over JMX, and in {@code raw} clients that write arbitrary frames.
 * {@code io.slipstream.process} starts the processes.
 */
package io.slipstream.harness;
