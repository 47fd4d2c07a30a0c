// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.broker;

import io.slipstream.broker.ring.RingFrameIn;
import io.slipstream.broker.ring.RingReply;
import io.slipstream.protocol.ring.RingFrame;
import java.nio.ByteBuffer;

/** The broker's response to a request from a ring. */
final class Reply extends RingReply {
    private static final byte[] NOTHING = {};

    private final ByteBuffer answer;

    private Reply(RingFrameIn frame, int flags, byte[] bytes) {
        super(frame, flags, bytes.length, false);
        answer = ByteBuffer.wrap(bytes);
    }

    static Reply of(RingFrameIn frame, byte[] answer, short acks) {
        return acks == 0 ? new Reply(frame, RingFrame.FLAG_NO_RESPONSE, NOTHING) : new Reply(frame, 0, answer);
    }

    @Override
    public void writeTo(ByteBuffer target) {
        move(answer, target);
    }
}
