// SPDX-License-Identifier: Apache-2.0
/**
 * What outgoing TCP connections need: host names resolved off the event loop with a deadline, a guard against a
 * socket that connects to itself, and TLS failures in words. The lookups have threads of their own; all else runs
 * on the event loop of the connection.
 */
package io.slipstream.link.net;
