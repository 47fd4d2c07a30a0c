// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import net.bytebuddy.asm.Advice;

/**
 * Code woven into the broker's logs and partitions; which method gets which is said by each line's adapter. Compiled
 * into the broker's own methods, hence no more than a call each, and no type of Kafka's in a signature.
 */
public final class LogAdvice {
    private LogAdvice() {}

    /**
     * At the end of what moves the first unstable offset: runs inside the log's lock, after every move of its
     * watermarks.
     */
    public static final class Changed {
        private Changed() {}

        @Advice.OnMethodExit(suppress = Throwable.class)
        public static void exit(@Advice.This Object log) {
            LogEvents.logChanged(log);
        }
    }

    /** After an aborted transaction was indexed, whatever came of it. */
    public static final class AbortedTransactionIndexed {
        private AbortedTransactionIndexed() {}

        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        public static void exit() {
            LogEvents.abortedTransactionIndexed();
        }
    }

    /**
     * Around what cuts, moves, rewrites, closes or deletes a log: revoke before its bytes change, and once more after,
     * since a slot that was granted in between may have had pages of the file registered that are no longer the file's.
     */
    public static final class Revoked {
        private Revoked() {}

        @Advice.OnMethodEnter(suppress = Throwable.class)
        public static void enter(@Advice.This Object log, @Advice.Origin("#m") String method) {
            LogEvents.logChangeBegins(log, method);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        public static void exit(@Advice.This Object log, @Advice.Origin("#m") String method) {
            LogEvents.logChangeEnded(log, method);
        }
    }

    /** Before a segment's files are renamed, which is how every removal begins. */
    public static final class SegmentRemoved {
        private SegmentRemoved() {}

        @Advice.OnMethodEnter(suppress = Throwable.class)
        public static void enter(@Advice.This Object segment) {
            LogEvents.segmentRemoved(segment);
        }
    }

    /**
     * Around what ends a partition's leadership here: revoke first, look again after (a grant may have come in
     * between).
     */
    public static final class LeadershipLost {
        private LeadershipLost() {}

        @Advice.OnMethodEnter(suppress = Throwable.class)
        public static void enter(@Advice.This Object partition, @Advice.Origin("#m") String method) {
            LogEvents.revoked(partition, method);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        public static void exit(@Advice.This Object partition) {
            LogEvents.reconfigured(partition);
        }
    }

    /** After what may have changed a partition's leadership or log, or a log's settings. */
    public static final class Reconfigured {
        private Reconfigured() {}

        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        public static void exit(@Advice.This Object logOrPartition) {
            LogEvents.reconfigured(logOrPartition);
        }
    }
}
