// SPDX-License-Identifier: Apache-2.0
/** A model of the broker: logs of several segments, their watermarks, and the hooks by which the plugin hears of them. */
package io.slipstream.simulation.broker;
