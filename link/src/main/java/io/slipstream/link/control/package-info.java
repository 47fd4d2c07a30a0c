// SPDX-License-Identifier: Apache-2.0
/**
 * The control channel to a plugin: a Unix domain socket or TCP, with or without TLS. All event loops share one
 * {@link io.slipstream.link.control.ControlConnection} per broker. It runs on the event loop that opened it; answers
 * are passed to the event loop of the caller. Both sides authenticate before Hello.
 */
package io.slipstream.link.control;
