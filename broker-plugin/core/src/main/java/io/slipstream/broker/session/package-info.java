// SPDX-License-Identifier: Apache-2.0
/**
 * Client connections that the broker authenticated and that proxies bind to links: nonces, lifetimes, and the end of a
 * session with its connection.
 */
package io.slipstream.broker.session;
