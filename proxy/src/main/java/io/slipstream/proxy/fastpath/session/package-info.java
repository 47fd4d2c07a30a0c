/**
 * Ties a client's own, broker-authenticated connection to a link: nonce, confirmation, loss, and the queue of requests that wait
 * meanwhile.
 */
package io.slipstream.proxy.fastpath.session;
