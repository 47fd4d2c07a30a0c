// SPDX-License-Identifier: Apache-2.0
/**
 * Requests in the ring: which of them may use it, and the order of those that must take TCP. Confined to the event
 * loop of the client connection; a request's frame belongs to the session.
 */
package io.slipstream.proxy.ring;
