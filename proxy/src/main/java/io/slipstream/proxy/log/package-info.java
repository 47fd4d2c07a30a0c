// SPDX-License-Identifier: Apache-2.0
/**
 * The log of the proxy: its format from the configuration, and its levels, which can change at run time. No message
 * contains payloads, keys or secrets.
 */
package io.slipstream.proxy.log;
