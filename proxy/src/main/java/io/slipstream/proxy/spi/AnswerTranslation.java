// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.spi;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/** Makes the answer to a client's request of a broker's answer to another one that was sent in its place. */
@FunctionalInterface
public interface AnswerTranslation {
    /**
     * On the client's event loop, once.
     *
     * @param response the broker's, from its header on, reader to writer index; stays the caller's
     * @return what the client gets, from the response header on; owned by the caller. Null if the response cannot be
     *     read.
     */
    ByteBuf translate(ByteBuf response, ByteBufAllocator allocator);
}
