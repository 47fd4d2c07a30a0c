// SPDX-License-Identifier: Apache-2.0
package io.slipstream.planted;

import io.slipstream.protocol.slot.SlotView;
import io.slipstream.proxy.fetch.ReadPlan;
import net.bytebuddy.asm.Advice;

/** Bugs of slots, grants, planning and answers of fetches. */
@SuppressWarnings("UnusedVariable") // Byte Buddy reads the assigned values.
final class ReadBugs {
    private ReadBugs() {}

    /** A batch that ends at the watermark counts as below it. */
    static final class LimitOffByOne {
        private LimitOffByOne() {}

        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 4, readOnly = false) long offsetLimit) {
            offsetLimit = offsetLimit + 1;
        }
    }

    /** The slot's watermark is one more than the log's. */
    static final class WatermarkAhead {
        private WatermarkAhead() {}

        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 5, readOnly = false) long highWatermark) {
            highWatermark = highWatermark + 1;
        }
    }

    /** The plan reads more than the log contains. */
    static final class ReadTooFar {
        private ReadTooFar() {}

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) int available) {
            if (available > 0) {
                available = available + 65_536;
            }
        }
    }

    /** The records of the first two partitions are swapped. */
    static final class SwappedRecords {
        private SwappedRecords() {}

        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(3) ReadPlan plan) {
            ReadPlan.Entry[] entries = plan.entries;
            if (entries.length > 1 && entries[0].recordBytes > 0 && entries[1].recordBytes > 0) {
                int index = entries[0].recordIndex;
                int length = entries[0].recordBytes;
                entries[0].recordIndex = entries[1].recordIndex;
                entries[0].recordBytes = entries[1].recordBytes;
                entries[1].recordIndex = index;
                entries[1].recordBytes = length;
            }
        }
    }

    /** A Fetch response has the correlation id of the next request. */
    static final class WrongCorrelation {
        private WrongCorrelation() {}

        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 1, readOnly = false) int correlationId) {
            correlationId = correlationId + 1;
        }
    }

    /** A withdrawn region is deregistered without waiting for its readers. */
    static final class NoLeaseForReaders {
        private NoLeaseForReaders() {}

        @Advice.OnMethodExit
        static void exit(
                @Advice.FieldValue("withdrawn") boolean withdrawn, @Advice.Return(readOnly = false) boolean drained) {
            drained = withdrawn;
        }
    }

    /** A Fetch below the log's start is served from what is still there. */
    static final class LogStartIgnored {
        private LogStartIgnored() {}

        @Advice.OnMethodExit
        static void exit(
                @Advice.Argument(2) long fetchOffset,
                @Advice.FieldValue("slot") SlotView slot,
                @Advice.Return(readOnly = false) boolean readable) {
            readable = readable || fetchOffset < slot.logStartOffset();
        }
    }

    /** A Fetch that names another leader epoch is served. */
    static final class LeaderEpochIgnored {
        private LeaderEpochIgnored() {}

        @Advice.OnMethodExit
        static void exit(
                @Advice.Argument(2) long fetchOffset,
                @Advice.FieldValue("slot") SlotView slot,
                @Advice.Return(readOnly = false) boolean readable) {
            readable = readable || fetchOffset >= slot.logStartOffset() && fetchOffset <= slot.highWatermark();
        }
    }

    /** After a read, only the first partition's slot is checked again. */
    static final class FirstSlotRechecked {
        private FirstSlotRechecked() {}

        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter(@Advice.This Object attempt) {
            return Reflective.recheckFirst(attempt);
        }
    }

    /** After a read, no slot is checked again. */
    static final class NothingRechecked {
        private NothingRechecked() {}

        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter(@Advice.This Object attempt) {
            Reflective.recheckNothing(attempt);
            return true;
        }
    }

    /** The authorizer's answer for one session counts for all sessions that read the topic. */
    static final class RightsByTopic {
        private RightsByTopic() {}

        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter(@Advice.This Object link, @Advice.Argument(0) Object logs) {
            Reflective.reauthorizeByTopic(link, logs);
            return true;
        }
    }

    /** A list of aborted transactions counts as complete to its end. */
    static final class CompleteForEver {
        private CompleteForEver() {}

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) long completeTo) {
            completeTo = Long.MAX_VALUE;
        }
    }

    /** All grants of a slot have the same generation. */
    static final class OneGeneration {
        private OneGeneration() {}

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) int generation) {
            generation = 1;
        }
    }
}
