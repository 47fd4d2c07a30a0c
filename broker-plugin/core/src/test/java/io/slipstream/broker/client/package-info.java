// SPDX-License-Identifier: Apache-2.0
/**
 * Test clients of the plugin: control channel, rings, TLS certificates, and processes of another user.
 */
package io.slipstream.broker.client;
