// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.harness.raw.RawClient;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;

/** Reads the relevant fields of the answer to a Produce for one partition. */
final class ProduceAnswer {
    /** Header without tagged fields, one topic by its id, one partition. */
    private static final int ERROR_INDEX = Integer.BYTES + 1 + 1 + 2 * Long.BYTES + 1 + Integer.BYTES;

    private ProduceAnswer() {}

    /**
     * Returns the error code without decoding; versions from 13.
     *
     * @param start index of the answer's correlation id; the buffer's position is unchanged
     */
    static short error(ByteBuffer buffer, int start) {
        return buffer.getShort(start + ERROR_INDEX);
    }

    /**
     * Returns the offset of the first appended record from the client's next answer.
     *
     * @throws IllegalStateException if the answer is an error
     */
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
