// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.broker;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** Answers to requests other than Produce and Fetch. Some are larger than a part of a reply ring, or than the ring. */
public final class OtherAnswers {
    private OtherAnswers() {}

    public static byte[] of(int correlationId) {
        byte[] answer = new byte[14 + (correlationId % 3 == 0 ? 150 * (correlationId & 63) : 0)];
        Arrays.fill(answer, (byte) correlationId);
        return ByteBuffer.wrap(answer).putInt(correlationId).array();
    }
}
