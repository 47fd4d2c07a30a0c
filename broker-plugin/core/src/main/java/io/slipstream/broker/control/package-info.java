// SPDX-License-Identifier: Apache-2.0
/**
 * The control channel: its sockets, the admission of peers, and the requests of proxies.
 * {@link io.slipstream.broker.control.LinkTable} keeps the links from OpenLink until their memory is free.
 * {@link io.slipstream.broker.control.LinkService} answers all other requests. All of it runs on one thread.
 */
package io.slipstream.broker.control;
