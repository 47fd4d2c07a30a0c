// SPDX-License-Identifier: Apache-2.0
/**
 * What must be known to set a link up: transport, directory of sockets, control ports, sizes and deadlines.
 * Immutable values; where they come from is the business of the program that uses this module.
 */
package io.slipstream.link.settings;
