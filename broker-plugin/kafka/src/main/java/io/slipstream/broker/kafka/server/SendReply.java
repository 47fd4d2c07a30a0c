// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka.server;

import io.slipstream.broker.ring.RingFrameIn;
import io.slipstream.broker.ring.RingReply;
import io.slipstream.protocol.ring.RingFrame;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.apache.kafka.common.network.Send;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.RequestHeader;

/** A response of the broker in the reply ring. */
public abstract class SendReply extends RingReply {
    private final StagingChannel response;
    /** The next bytes of a response in files. */
    private ByteBuffer read;

    /**
     * @param header the request's
     * @param send null if the reply consists of its flags
     */
    protected SendReply(RingFrameIn frame, RequestHeader header, Send send, int flags) {
        super(
                frame,
                flags,
                send == null ? 0 : Math.toIntExact(send.size() - StagingChannel.SIZE_BYTES),
                send != null && (header.apiKey() == ApiKeys.SHARE_FETCH || header.apiKey() == ApiKeys.FETCH));
        // What a follower lacks is small, and just appended, unless it lags.
        isReadAtOnce = send != null && header.apiKey() == ApiKeys.FETCH && send.size() <= RingFrame.FILE_PART_BYTES;
        response = send == null ? null : new StagingChannel(send);
    }

    @Override
    public void writeTo(ByteBuffer target) {
        if (read != null) {
            target.put(read);
            return;
        }
        try {
            response.fill(target);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void read(int bytes) throws IOException {
        if (read == null) {
            read = ByteBuffer.allocate(bytes);
        }
        response.fill(read.clear().limit(bytes));
        read.flip();
    }
}
