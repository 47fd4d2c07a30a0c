// SPDX-License-Identifier: Apache-2.0
package io.slipstream.planted;

import io.netty.buffer.ByteBuf;
import io.slipstream.protocol.control.ControlResponse.ListAborted;
import io.slipstream.proxy.spi.PendingRequest;
import java.util.List;
import net.bytebuddy.asm.Advice;

/** Bugs of answers to clients that runs of processes show. */
@SuppressWarnings("UnusedVariable") // Byte Buddy reads the assigned values.
final class AnswerBugs {
    private AnswerBugs() {}

    /** A produced batch is acknowledged at the next offset. */
    static final class OffsetShifted {
        private OffsetShifted() {}

        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(0) PendingRequest request, @Advice.Argument(2) ByteBuf response) {
            // In version 13: size, header, one topic with its id, one partition, error.
            if (request.apiKey == 0 && response != null && response.readableBytes() > 41) {
                int at = response.readerIndex() + 33;
                if (response.getLong(at) >= 0) {
                    response.setLong(at, response.getLong(at) + 1);
                }
            }
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

    /** The plugin knows of no aborted transaction. */
    static final class NoneAnswered {
        private NoneAnswered() {}

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) ListAborted answer) {
            answer = new ListAborted(
                    answer.error(),
                    answer.message(),
                    answer.completeTo(),
                    answer.completeToBytes(),
                    answer.whole(),
                    answer.abortedCount(),
                    List.of());
        }
    }

    /** The position of an offset is behind the batch that has it. */
    static final class LocatedLate {
        private LocatedLate() {}

        @Advice.OnMethodEnter
        static void enter(
                @Advice.Argument(value = 2, readOnly = false) int position, @Advice.Argument(3) int batchBytes) {
            position = position + batchBytes;
        }
    }
}
