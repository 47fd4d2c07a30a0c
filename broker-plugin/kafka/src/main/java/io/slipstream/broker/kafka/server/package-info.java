// SPDX-License-Identifier: Apache-2.0
/**
 * The broker's own request handling with requests from the rings, and the observation of its client connections.
 *
 * <p>{@link io.slipstream.broker.kafka.server.ServerLine} is the entry. The classes name Kafka's server classes. They
 * are compiled once and run on every supported line. {@link io.slipstream.broker.kafka.server.BrokerVersion} holds the
 * differences.
 *
 * <p>Path of a request: {@code RequestIntake} polls the rings, and {@code RingRequests} makes the broker's own request
 * from a frame. The line's request channel hands it to a stock handler thread, which {@code RingRequestHandlers} has
 * started. The response returns as a {@code SendReply}.
 */
package io.slipstream.broker.kafka.server;
