// SPDX-License-Identifier: Apache-2.0
/**
 * Client connections: frames in and out, one upstream connection for each, and the order of responses. A client
 * connection and its upstream connection share one event loop, and everything of theirs is confined to it. A
 * request's buffer is owned by its slot until it was answered; a response's by the session until it was written.
 */
package io.slipstream.proxy.session;
