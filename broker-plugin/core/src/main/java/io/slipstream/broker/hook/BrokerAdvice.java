// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.hook;

import net.bytebuddy.asm.Advice;

/** Advice of the hooks that do not depend on Kafka's line. The bodies are copied into the broker's methods. */
public final class BrokerAdvice {
    private BrokerAdvice() {}

    /** At the normal end of {@code BrokerServer.startup}. */
    public static final class Started {
        private Started() {}

        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This Object brokerServer) {
            BrokerHooks.started(brokerServer);
        }
    }

    /** At the beginning of {@code BrokerServer.shutdown}. */
    public static final class Stopping {
        private Stopping() {}

        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.This Object brokerServer) {
            BrokerHooks.stopping(brokerServer);
        }
    }

    /** At the beginning of {@code KafkaApis.handleApiVersionsRequest}. */
    public static final class ApiVersions {
        private ApiVersions() {}

        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.Argument(0) Object request) {
            BrokerHooks.apiVersions(request);
        }
    }

    /**
     * At the beginning of {@code KafkaChannel.serverAuthenticationSessionExpired}, which a network thread asks of the
     * connection of each request that arrived.
     */
    public static final class Received {
        private Received() {}

        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.This Object channel) {
            BrokerHooks.received(channel);
        }
    }

    /** At the beginning of a {@code ConnectionDisconnectListener.onDisconnect}. */
    public static final class Disconnected {
        private Disconnected() {}

        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.Argument(0) String connectionId) {
            BrokerHooks.disconnected(connectionId);
        }
    }
}
