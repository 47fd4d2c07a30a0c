// SPDX-License-Identifier: Apache-2.0
/**
 * What a request costs in calls: an agent that notes each call of a Slipstream method in a running process, on demand.
 */
package io.slipstream.traced;
