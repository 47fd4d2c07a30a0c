// SPDX-License-Identifier: Apache-2.0
/**
 * Support for outgoing TCP connections: name resolution off the event loop with a deadline, a guard against sockets
 * that connect to themselves, and descriptions of TLS failures. Lookups have their own threads; everything else runs on
 * the event loop of the connection.
 */
package io.slipstream.link.net;
