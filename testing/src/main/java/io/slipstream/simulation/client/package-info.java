// SPDX-License-Identifier: Apache-2.0
/** Simulated clients of a simulated proxy, with checks of every answer. */
package io.slipstream.simulation.client;
