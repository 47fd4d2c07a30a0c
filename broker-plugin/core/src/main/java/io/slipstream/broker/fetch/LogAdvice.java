// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import net.bytebuddy.asm.Advice;

/**
 * Advice for the broker's logs and partitions. Each line's adapter lists the methods. ByteBuddy copies it into the
 * broker's methods, so it only calls {@link LogEvents}, and no signature names a Kafka type.
 */
public final class LogAdvice {
    private LogAdvice() {}

    /**
     * At the end of the method that moves the first unstable offset. It runs inside the log's lock, after every move of
     * a watermark.
     */
    public static final class Changed {
        @Advice.OnMethodExit(suppress = Throwable.class)
        public static void exit(@Advice.This Object log) {
            LogEvents.logChanged(log);
        }
    }

    /** After an aborted transaction was indexed, also after a failure. */
    public static final class AbortedTransactionIndexed {
        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        public static void exit() {
            LogEvents.abortedTransactionIndexed();
        }
    }

    /**
     * Around methods that truncate, move, rewrite, close or delete a log. It revokes before the bytes change, and once
     * more after. A slot that is granted in between may have registered pages that no longer belong to the file.
     */
    public static final class Revoked {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        public static void enter(@Advice.This Object log, @Advice.Origin("#m") String method) {
            LogEvents.logChangeBegins(log, method);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        public static void exit(@Advice.This Object log, @Advice.Origin("#m") String method) {
            LogEvents.logChangeEnded(log, method);
        }
    }

    /** Before a segment's files are renamed, with which every removal begins. */
    public static final class SegmentRemoved {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        public static void enter(@Advice.This Object segment) {
            LogEvents.segmentRemoved(segment);
        }
    }

    /**
     * Around methods that end the leadership of a partition. It revokes first and checks again after, because a grant
     * may have come in between.
     */
    public static final class LeadershipLost {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        public static void enter(@Advice.This Object partition, @Advice.Origin("#m") String method) {
            LogEvents.revoked(partition, method);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        public static void exit(@Advice.This Object partition) {
            LogEvents.reconfigured(partition);
        }
    }

    /** After a method that may change a partition's leadership or log, or a log's settings. */
    public static final class Reconfigured {
        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        public static void exit(@Advice.This Object logOrPartition) {
            LogEvents.reconfigured(logOrPartition);
        }
    }
}
