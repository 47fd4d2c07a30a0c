// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka.server;

import io.slipstream.broker.ring.RingFrameIn;
import io.slipstream.broker.ring.RingReply;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.apache.kafka.common.network.Send;

/** A response of the broker as a frame of the reply ring. */
public abstract class SendReply extends RingReply {
    private final Send send;

    /** @param send null if the reply consists of its flags */
    protected SendReply(RingFrameIn frame, Send send, int flags) {
        super(frame, flags);
        this.send = send;
    }

    @Override
    public int payloadBytes() {
        return send == null ? 0 : (int) Math.min(Integer.MAX_VALUE, send.size() - StagingChannel.SIZE_BYTES);
    }

    @Override
    public void writeTo(ByteBuffer target) {
        try {
            StagingChannel.drain(send, target);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
