// SPDX-License-Identifier: Apache-2.0
/** Followers: a broker's fetcher thread with the shipped classes of replication, and its own connection. */
package io.slipstream.simulation.follower;
