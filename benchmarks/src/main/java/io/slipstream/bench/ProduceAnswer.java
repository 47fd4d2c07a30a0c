package io.slipstream.bench;

import java.nio.ByteBuffer;

/** What a benchmark must know of an answer to a Produce for one partition, version 13 or newer, without decoding it. */
final class ProduceAnswer {
    /** Header with no tagged fields, one topic by its id, one partition. */
    private static final int ERROR_INDEX = Integer.BYTES + 1 + 1 + 2 * Long.BYTES + 1 + Integer.BYTES;

    private ProduceAnswer() {}

    /** @param start of the answer in its buffer, which is its correlation id's; the buffer's position is left alone */
    static short error(ByteBuffer buffer, int start) {
        return buffer.getShort(start + ERROR_INDEX);
    }
}
