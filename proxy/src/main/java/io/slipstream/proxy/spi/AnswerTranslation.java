// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.spi;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/** Converts, in place, a broker's answer to a substitute request into the answer to the client's request. */
@FunctionalInterface
public interface AnswerTranslation {
    /**
     * Called once, on the client's event loop.
     *
     * @param response the broker's response, from its header on, between position and limit
     * @return size of the client's response, which begins at the position; -1 if the broker's cannot be read
     */
    int translate(ByteBuffer response);

    /**
     * Merges the broker's response, with its size, with a part that was read by RDMA. Called once, before
     * {@link #translate}.
     *
     * @return a new response, with its size, of the caller; null if the broker's is to be translated
     */
    default ByteBuf merge(ByteBuf rest) {
        return null;
    }

    /** Records that were read by RDMA; -1 without such a part. */
    default long records() {
        return -1;
    }

    /** Releases the part. Idempotent. */
    default void release() {}
}
