// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.spi;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/** Converts a broker's answer to a substitute request into the answer to the client's request. */
@FunctionalInterface
public interface AnswerTranslation {
    /**
     * Called once, on the client's event loop.
     *
     * @param response the broker's response, from its header on, reader to writer index; owned by the caller
     * @return the client's response, from the response header on; owned by the caller. Null if the response cannot be
     *     read.
     */
    ByteBuf translate(ByteBuf response, ByteBufAllocator allocator);
}
