// SPDX-License-Identifier: Apache-2.0
/**
 * Settings of links: transport, directory of sockets, control ports, sizes and deadlines. Immutable values; the program
 * that uses this module supplies them.
 */
package io.slipstream.link.settings;
