// SPDX-License-Identifier: Apache-2.0
/** Simulated clients of a simulated proxy: what they send, what they are answered, and whether they may be. */
package io.slipstream.simulation.client;
