// SPDX-License-Identifier: Apache-2.0
/**
 * Reads a broker's slot table: the committed state of each granted partition, and the broker's heartbeat. Slots are
 * read by one-sided READs. They are valid only if they are consistent and the {@link io.slipstream.link.read.Lease} is
 * fresh. A reader without data arms its slot and sleeps until a doorbell. Confined to one event loop.
 */
package io.slipstream.link.read;
