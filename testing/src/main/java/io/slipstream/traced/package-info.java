// SPDX-License-Identifier: Apache-2.0
/**
 * Counts the calls of a request: an agent that records each call of a Slipstream method in a running process on demand.
 */
package io.slipstream.traced;
