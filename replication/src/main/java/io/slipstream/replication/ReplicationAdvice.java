// SPDX-License-Identifier: Apache-2.0
package io.slipstream.replication;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** Advice for {@code kafka.server.BrokerBlockingSender}, the connection of one fetcher thread to one leader. */
final class ReplicationAdvice {
    private ReplicationAdvice() {}

    /** Around {@code sendRequest}: its body runs only if the request was not answered by RDMA. */
    static final class Send {
        private Send() {}

        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class, suppress = Throwable.class)
        static Object enter(
                @Advice.This Object sender,
                @Advice.FieldValue("fetcherId") int fetcherId,
                @Advice.Argument(0) Object builder) {
            return ReplicationHooks.send(sender, fetcherId, builder);
        }

        @Advice.OnMethodExit
        static void exit(
                @Advice.Enter Object answered,
                @Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) Object response) {
            if (answered != null) {
                response = answered;
            }
        }
    }

    /** Runs at the end of {@code initiateClose}, which interrupts a request of another thread. */
    static final class InitiateClose {
        private InitiateClose() {}

        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This Object sender) {
            ReplicationHooks.closing(sender);
        }
    }

    /** Runs at the end of {@code close}, after which nobody uses the sender. */
    static final class Close {
        private Close() {}

        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This Object sender) {
            ReplicationHooks.closed(sender);
        }
    }
}
