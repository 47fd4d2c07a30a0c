// SPDX-License-Identifier: Apache-2.0
package io.slipstream.planted;

import io.slipstream.link.meter.FallbackReason;
import io.slipstream.proxy.spi.PendingRequest;
import net.bytebuddy.asm.Advice;

/** Bugs of the proxy's client sessions: the order of requests on both paths, and fetch sessions. */
@SuppressWarnings("UnusedVariable") // Byte Buddy reads the assigned values.
final class SessionBugs {
    private SessionBugs() {}

    /** A request is forwarded while earlier ones are on their way by RDMA. */
    static final class TcpOvertakesRdma {
        private TcpOvertakesRdma() {}

        @Advice.OnMethodEnter
        static int enter(@Advice.FieldValue(value = "fastPending", readOnly = false) int pending) {
            int before = pending;
            pending = 0;
            return before;
        }

        @Advice.OnMethodExit
        static void exit(
                @Advice.Enter int before, @Advice.FieldValue(value = "fastPending", readOnly = false) int pending) {
            pending = pending + before;
        }
    }

    /** A request takes RDMA while earlier ones are unanswered over TCP. */
    static final class RdmaOvertakesTcp {
        private RdmaOvertakesTcp() {}

        @Advice.OnMethodEnter
        static int enter(@Advice.FieldValue(value = "upstreamPending", readOnly = false) int pending) {
            int before = pending;
            pending = 0;
            return before;
        }

        @Advice.OnMethodExit
        static void exit(
                @Advice.Enter int before, @Advice.FieldValue(value = "upstreamPending", readOnly = false) int pending) {
            pending = pending + before;
        }
    }

    /** Nothing is awaited after a request without an answer. */
    static final class NoBarrier {
        private NoBarrier() {}

        @Advice.OnMethodEnter
        static void enter(@Advice.FieldValue(value = "unansweredAfter", readOnly = false) long after) {
            after = -1;
        }
    }

    /** A request whose outcome is unknown is sent again. */
    static final class RepeatedUnknown {
        private RepeatedUnknown() {}

        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter(@Advice.This PendingRequest request) {
            if (!request.isCancelled()) {
                request.fallBack(FallbackReason.LINK_DOWN);
            }
            return true;
        }
    }
}
