// SPDX-License-Identifier: Apache-2.0
/**
 * The control channel to a plugin: a Unix domain socket or TCP, with or without TLS. One {@link
 * io.slipstream.link.control.ControlConnection} to each broker is shared by all event loops. It runs on the event
 * loop that opened it; answers are handed to the event loop of the caller. Both sides prove who they are before
 * Hello.
 */
package io.slipstream.link.control;
