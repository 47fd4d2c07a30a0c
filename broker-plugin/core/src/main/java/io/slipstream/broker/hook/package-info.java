// SPDX-License-Identifier: Apache-2.0
/**
 * Hooks in the broker's own code. {@link io.slipstream.broker.hook.HookInstaller} weaves them, verifies that all of
 * them match, and removes them if the plugin does not serve.
 */
package io.slipstream.broker.hook;
