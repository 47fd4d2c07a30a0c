// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.harness.raw.RawClient;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;

/** What a benchmark must know of an answer to a Produce for one partition. */
final class ProduceAnswer {
    /** Header with no tagged fields, one topic by its id, one partition. */
    private static final int ERROR_INDEX = Integer.BYTES + 1 + 1 + 2 * Long.BYTES + 1 + Integer.BYTES;

    private ProduceAnswer() {}

    /**
     * Without decoding it; version 13 or newer.
     *
     * @param start of the answer in its buffer, which is its correlation id's; the buffer's position is left alone
     */
    static short error(ByteBuffer buffer, int start) {
        return buffer.getShort(start + ERROR_INDEX);
    }

    /** Offset of the first record appended, from the client's next answer; IllegalStateException if that is an error. */
    static long receiveOffset(RawClient client) throws IOException {
        return offset(client.receive().as(ProduceResponseData.class));
    }

    static long offset(ProduceResponseData response) {
        PartitionProduceResponse answer =
                response.responses().iterator().next().partitionResponses().get(0);
        if (answer.errorCode() != 0) {
            throw new IllegalStateException("produce answered error " + answer.errorCode());
        }
        return answer.baseOffset();
    }
}
