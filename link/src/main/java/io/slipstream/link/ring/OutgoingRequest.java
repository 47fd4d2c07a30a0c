// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.ring;

import io.netty.buffer.ByteBuf;

/** A Kafka request to be written into a ring. Confined to the event loop of its link. */
public interface OutgoingRequest {
    /**
     * The frame from the request header on, without the 4-byte size; direct memory. Owned by this request until it is
     * answered.
     */
    ByteBuf frame();

    /** Whether the client no longer waits for the answer. */
    boolean isCancelled();
}
