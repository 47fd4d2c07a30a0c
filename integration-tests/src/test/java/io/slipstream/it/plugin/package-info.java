// SPDX-License-Identifier: Apache-2.0
/** The plugin in stock brokers of each line, through the plugin's own protocol and without a proxy. */
package io.slipstream.it.plugin;
