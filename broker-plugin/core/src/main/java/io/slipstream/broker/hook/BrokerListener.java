// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.hook;

/** What the hooks tell. Called by the broker's own threads; must not block except where said. */
public interface BrokerListener {
    /** The broker serves. May take its time: the broker's main thread waits. */
    void onStarted(Object brokerServer);

    /** The broker begins to shut down; its thread waits. */
    void onStopping(Object brokerServer);

    /** A request reached the handling of ApiVersions. */
    void onApiVersions(Object request);

    /**
     * A request arrived on a connection, which the broker's {@code KafkaChannel} stands for; on that connection's
     * network thread, before anything handles it.
     */
    void onReceived(Object channel);

    /** A client connection closed, for whatever reason. */
    void onDisconnect(String connectionId);

    /** A hook failed; nothing else came of it. */
    void onHookError(String hook, Throwable error);
}
