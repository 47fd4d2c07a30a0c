// SPDX-License-Identifier: Apache-2.0
package io.slipstream.planted;

import net.bytebuddy.asm.Advice;

/** Bugs of slots, grants, planning and answers of fetches. */
@SuppressWarnings("UnusedVariable") // Byte Buddy reads what advice assigns.
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
        static void enter(@Advice.Argument(8) int[] indexes, @Advice.Argument(9) int[] lengths) {
            if (lengths.length > 1 && lengths[0] > 0 && lengths[1] > 0) {
                int index = indexes[0];
                int length = lengths[0];
                indexes[0] = indexes[1];
                lengths[0] = lengths[1];
                indexes[1] = index;
                lengths[1] = length;
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
}
