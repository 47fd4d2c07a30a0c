// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.hook;

import java.util.function.BiConsumer;

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
        tell("BrokerServer.startup", BrokerListener::onStarted, brokerServer);
    }

    public static void stopping(Object socketServer) {
        tell("SocketServer.stopProcessingRequests", BrokerListener::onStopping, socketServer);
    }

    public static void apiVersions(Object request) {
        tell("KafkaApis.handleApiVersionsRequest", BrokerListener::onApiVersions, request);
    }

    public static void received(Object channel) {
        tell("KafkaChannel.serverAuthenticationSessionExpired", BrokerListener::onReceived, channel);
    }

    public static void disconnected(String connectionId) {
        tell("ConnectionDisconnectListener.onDisconnect", BrokerListener::onDisconnect, connectionId);
    }

    private static <T> void tell(String hook, BiConsumer<BrokerListener, T> event, T subject) {
        BrokerListener current = listener;
        if (current == null) {
            return;
        }
        try {
            event.accept(current, subject);
        } catch (Throwable failure) {
            try {
                current.onHookError(hook, failure);
            } catch (Throwable e) {
                // The listener cannot even log the error; the broker must not notice.
            }
        }
    }
}
