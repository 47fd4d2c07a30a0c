// SPDX-License-Identifier: Apache-2.0
package io.slipstream.planted;

import io.netty.util.collection.LongObjectHashMap;
import io.slipstream.protocol.ring.RingFrame;
import net.bytebuddy.asm.Advice;

/** Bugs of the request ring, the reply ring and credits. */
@SuppressWarnings("UnusedVariable") // Byte Buddy reads the assigned values.
final class RingBugs {
    private RingBugs() {}

    /** A reply goes to the request next to its own. */
    static final class SwappedReplies {
        private SwappedReplies() {}

        @Advice.OnMethodEnter
        static void enter(
                @Advice.Argument(value = 0, readOnly = false) long sequence,
                @Advice.FieldValue("unanswered") LongObjectHashMap<?> unanswered) {
            if (unanswered.containsKey(sequence ^ 1)) {
                sequence = sequence ^ 1;
            }
        }
    }

    /** A request counts as answered as soon as it is written. */
    static final class AnsweredWhenWritten {
        private AnsweredWhenWritten() {}

        @Advice.OnMethodEnter
        static void enter(
                @Advice.FieldValue(value = "replied", readOnly = false) boolean replied,
                @Advice.FieldValue(value = "replyFlags", readOnly = false) int flags) {
            if (!replied) {
                replied = true;
                flags = RingFrame.FLAG_NO_RESPONSE;
            }
        }
    }

    /** The first reply releases everything written. */
    static final class SpaceReusedEarly {
        private SpaceReusedEarly() {}

        @Advice.OnMethodEnter
        static void enter(
                @Advice.Argument(value = 0, readOnly = false) long position, @Advice.FieldValue("head") long head) {
            position = head;
        }
    }

    /** The plugin does not get the credit of an answered request back. */
    static final class LostCredit {
        private LostCredit() {}

        @Advice.OnMethodExit
        static void exit(@Advice.FieldValue(value = "unhandledRequests", readOnly = false) int unhandled) {
            unhandled = unhandled + 1;
        }
    }

    /** The proxy writes more requests than it has credits for. */
    static final class MoreCredits {
        private MoreCredits() {}

        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 4, readOnly = false) int credits) {
            credits = credits + 4;
        }
    }

    /** The last byte of a reply is missing. */
    static final class ShortReply {
        private ShortReply() {}

        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 2, readOnly = false) int length) {
            length = length - 1;
        }
    }

    /** Every frame is staged at the start of the mirror, over frames still being sent. */
    static final class OneStagingPlace {
        private OneStagingPlace() {}

        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 2, readOnly = false) long start) {
            start = 0;
        }
    }

    /** Requests carry the id of the broker's first session. */
    static final class WrongSession {
        private WrongSession() {}

        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 1, readOnly = false) int sessionId) {
            sessionId = 1;
        }
    }
}
