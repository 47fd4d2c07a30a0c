// SPDX-License-Identifier: Apache-2.0
package io.slipstream.planted;

import net.bytebuddy.asm.Advice;

/** Bugs of answers to Fetches that runs of processes show. */
@SuppressWarnings("UnusedVariable") // Byte Buddy reads the assigned values.
final class FetchBugs {
    private FetchBugs() {}

    /** A cursor serves any offset of its partition, from where it stands. */
    static final class CursorAnywhere {
        private CursorAnywhere() {}

        @Advice.OnMethodExit
        static void exit(
                @Advice.FieldValue("segment") Object segment, @Advice.Return(readOnly = false) boolean standsThere) {
            standsThere = segment != null;
        }
    }

    /** No aborted transaction is listed. */
    static final class NoneAborted {
        private NoneAborted() {}

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) int count) {
            count = 0;
        }
    }

    /** The slot's last stable offset is the high watermark. */
    static final class StableIsHighWatermark {
        private StableIsHighWatermark() {}

        @Advice.OnMethodEnter
        static void enter(
                @Advice.Argument(5) long highWatermark,
                @Advice.Argument(value = 8, readOnly = false) long lastStableOffset) {
            lastStableOffset = highWatermark;
        }
    }
}
