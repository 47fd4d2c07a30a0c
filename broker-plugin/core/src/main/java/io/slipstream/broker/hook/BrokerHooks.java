// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.hook;

/**
 * Where the woven advice calls. Static, because advice is copied into the broker's classes; with Kafka's objects as
 * Object, because those classes are being defined. Nothing thrown here ever reaches the broker.
 */
public final class BrokerHooks {
    private static volatile BrokerListener listener;

    private BrokerHooks() {}

    /** Null makes all hooks inert. */
    public static void listen(BrokerListener newListener) {
        listener = newListener;
    }

    public static void started(Object brokerServer) {
        BrokerListener current = listener;
        if (current != null) {
            try {
                current.onStarted(brokerServer);
            } catch (Throwable e) {
                failed(current, "BrokerServer.startup", e);
            }
        }
    }

    public static void stopping(Object brokerServer) {
        BrokerListener current = listener;
        if (current != null) {
            try {
                current.onStopping(brokerServer);
            } catch (Throwable e) {
                failed(current, "BrokerServer.shutdown", e);
            }
        }
    }

    public static void apiVersions(Object request) {
        BrokerListener current = listener;
        if (current != null) {
            try {
                current.onApiVersions(request);
            } catch (Throwable e) {
                failed(current, "KafkaApis.handleApiVersionsRequest", e);
            }
        }
    }

    public static void received(Object channel) {
        BrokerListener current = listener;
        if (current != null) {
            try {
                current.onReceived(channel);
            } catch (Throwable e) {
                failed(current, "KafkaChannel.serverAuthenticationSessionExpired", e);
            }
        }
    }

    public static void disconnected(String connectionId) {
        BrokerListener current = listener;
        if (current != null) {
            try {
                current.onDisconnect(connectionId);
            } catch (Throwable e) {
                failed(current, "ConnectionDisconnectListener.onDisconnect", e);
            }
        }
    }

    private static void failed(BrokerListener current, String hook, Throwable error) {
        try {
            current.onHookError(hook, error);
        } catch (Throwable e) {
            // Not even telling works; the broker must not notice.
        }
    }
}
