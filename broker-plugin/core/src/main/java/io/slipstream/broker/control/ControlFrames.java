// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.control;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.slipstream.protocol.control.ControlCodec;
import java.nio.ByteOrder;

/**
 * Splits the received bytes into frames. It detects a TLS handshake on a plain listener and distinguishes it from
 * garbage in the log.
 */
final class ControlFrames extends LengthFieldBasedFrameDecoder {
    /** Type and major version of the first TLS record (RFC 8446, section 5.1), at the position of a frame's size. */
    private static final int TLS_HANDSHAKE = 0x1603;

    ControlFrames() {
        super(ControlCodec.MAX_FRAME_BYTES + Integer.BYTES, 0, Integer.BYTES, 0, Integer.BYTES);
    }

    @Override
    protected long getUnadjustedFrameLength(ByteBuf bytes, int offset, int lengthBytes, ByteOrder order) {
        long sizeBytes = super.getUnadjustedFrameLength(bytes, offset, lengthBytes, order);
        if (sizeBytes >>> 16 == TLS_HANDSHAKE) {
            bytes.skipBytes(bytes.readableBytes());
            throw new DecoderException(
                    "a proxy uses TLS, but this port is plain: set slipstream.control.ssl.keystore.location, or"
                            + " rdma.control.security.protocol=PLAINTEXT at the proxy");
        }
        return sizeBytes;
    }
}
