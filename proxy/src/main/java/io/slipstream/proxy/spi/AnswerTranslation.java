// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.spi;

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
}
