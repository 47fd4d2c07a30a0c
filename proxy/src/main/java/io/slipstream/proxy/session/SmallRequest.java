// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** What the proxy itself asks on a client's upstream connection when any answer will do: ApiVersions, version 0. */
final class SmallRequest {
    /** Legal, and never used by clients that count up from 0. */
    private static final int CORRELATION_ID = -2;

    /**
     * Api key, version, correlation id, null client id. Full: who writes it to a socket together with others cannot
     * collect them in it.
     */
    private static final ByteBuf API_VERSIONS = Unpooled.unreleasableBuffer(Unpooled.buffer(10, 10)
            .writeShort(KafkaApi.API_VERSIONS)
            .writeShort(0)
            .writeInt(CORRELATION_ID)
            .writeShort(-1));

    private SmallRequest() {}

    /** From the header on, without a size. */
    static ByteBuf apiVersions() {
        return API_VERSIONS.duplicate();
    }
}
