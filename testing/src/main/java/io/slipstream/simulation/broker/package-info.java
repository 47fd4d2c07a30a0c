// SPDX-License-Identifier: Apache-2.0
/** A model of the broker: logs with several segments, their watermarks, and the hooks that notify the plugin. */
package io.slipstream.simulation.broker;
