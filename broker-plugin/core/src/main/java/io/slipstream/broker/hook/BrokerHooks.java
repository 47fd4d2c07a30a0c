// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.hook;

/**
 * The methods that the woven advice calls. They are static because the advice is copied into the broker's classes. They
 * take Kafka's objects as Object because those classes are still being defined. They pass no exception to the broker.
 */
public final class BrokerHooks {
    private static volatile BrokerListener listener;

    private BrokerHooks() {}

    /** Sets the listener; null makes all hooks inert. */
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
            // The listener cannot even log the error; the broker must not notice.
        }
    }
}
