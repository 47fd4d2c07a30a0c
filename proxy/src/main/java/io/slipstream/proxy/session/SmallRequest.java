// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** The proxy's own request on a client's upstream connection when any answer suffices: ApiVersions, version 0. */
final class SmallRequest {
    /** Legal, and unused by clients, which count up from 0. */
    private static final int CORRELATION_ID = -2;

    /**
     * API key, version, correlation id, null client id. Without free capacity, so that a gathering write cannot append
     * to it.
     */
    private static final ByteBuf API_VERSIONS = Unpooled.unreleasableBuffer(Unpooled.buffer(10, 10)
            .writeShort(KafkaApi.API_VERSIONS)
            .writeShort(0)
            .writeInt(CORRELATION_ID)
            .writeShort(-1));

    private SmallRequest() {}

    /** From the header on, without the size. */
    static ByteBuf apiVersions() {
        return API_VERSIONS.duplicate();
    }
}
