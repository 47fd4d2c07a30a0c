// SPDX-License-Identifier: Apache-2.0
/**
 * Starts and stops the plugin with its broker. After a failure the plugin is inert, and the broker serves without it.
 */
package io.slipstream.broker.server;
