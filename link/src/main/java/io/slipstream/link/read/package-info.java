// SPDX-License-Identifier: Apache-2.0
/**
 * Reads the slot table of a broker: what is committed in each granted partition, and whether the broker is alive.
 * Slots are read by one-sided READs and count only if they are consistent and the {@link
 * io.slipstream.link.read.Lease} is fresh. A reader without data arms its slot and sleeps until a doorbell rings.
 * Confined to one event loop.
 */
package io.slipstream.link.read;
