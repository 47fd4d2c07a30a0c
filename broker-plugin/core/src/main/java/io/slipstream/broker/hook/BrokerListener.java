// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.hook;

/**
 * Receives the events of the hooks. The broker's own threads call it. A method must not block unless its documentation
 * allows it.
 */
public interface BrokerListener {
    /** The broker serves. The method may block; the broker's main thread waits. */
    void onStarted(Object brokerServer);

    /**
     * A server of this process stops to take requests, because its broker or controller shuts down. The method may
     * block for a bounded time; the broker's thread waits.
     */
    void onStopping(Object socketServer);

    /** The broker begins to handle an ApiVersions request. */
    void onApiVersions(Object request);

    /**
     * A request arrived on the connection of this {@code KafkaChannel}. The connection's network thread calls this
     * before any thread handles the request.
     */
    void onReceived(Object channel);

    /** A client connection closed, for any reason. */
    void onDisconnect(String connectionId);

    /** A hook failed. The failure has no other effect. */
    void onHookError(String hook, Throwable error);
}
