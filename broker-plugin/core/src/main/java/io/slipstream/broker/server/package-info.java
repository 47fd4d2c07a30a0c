// SPDX-License-Identifier: Apache-2.0
/**
 * Starts and stops the plugin with its broker. Whatever fails makes the plugin inert, and the broker serves without it.
 */
package io.slipstream.broker.server;
