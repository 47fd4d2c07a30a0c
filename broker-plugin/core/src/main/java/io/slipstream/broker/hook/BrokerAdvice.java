// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.hook;

import net.bytebuddy.asm.Advice;

/** Advice of the hooks that are the same for all Kafka lines. ByteBuddy copies the bodies into the broker's methods. */
public final class BrokerAdvice {
    private BrokerAdvice() {}

    /** Runs at the normal end of {@code BrokerServer.startup}. */
    public static final class Started {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This Object brokerServer) {
            BrokerHooks.started(brokerServer);
        }
    }

    /**
     * Runs at the beginning of {@code SocketServer.stopProcessingRequests}. A broker calls it after its controlled
     * shutdown, when its leaderships have moved.
     */
    public static final class Stopping {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.This Object socketServer) {
            BrokerHooks.stopping(socketServer);
        }
    }

    /** Runs at the beginning of {@code KafkaApis.handleApiVersionsRequest}. */
    public static final class ApiVersions {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.Argument(0) Object request) {
            BrokerHooks.apiVersions(request);
        }
    }

    /**
     * Runs at the beginning of {@code KafkaChannel.serverAuthenticationSessionExpired}. A network thread calls that
     * method for the connection of each received request.
     */
    public static final class Received {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.This Object channel) {
            BrokerHooks.received(channel);
        }
    }

    /** Runs at the beginning of {@code ConnectionDisconnectListener.onDisconnect}. */
    public static final class Disconnected {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.Argument(0) String connectionId) {
            BrokerHooks.disconnected(connectionId);
        }
    }
}
