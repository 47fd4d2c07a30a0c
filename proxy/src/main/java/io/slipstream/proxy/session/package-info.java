// SPDX-License-Identifier: Apache-2.0
/**
 * Client connections: frames in and out, one upstream connection each, and the order of responses. A client connection
 * and its upstream connection share one event loop and are confined to it. Events of both sockets take in and mark; the
 * session's turn ({@link io.slipstream.link.work.LoopTurn}) sends and writes. A request's buffer belongs to its slot
 * until it was answered; a response's buffer belongs to the session until it was written.
 */
package io.slipstream.proxy.session;
