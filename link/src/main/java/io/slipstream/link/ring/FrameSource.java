// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.ring;

import io.slipstream.link.work.LinkPort;

/** Places request frames in memory from which the queue pair can send them. */
interface FrameSource {
    /**
     * Adds the bytes of a whole frame, with header and padding, to the work request that {@code port} is building.
     *
     * @param request its sequence and session are set
     * @param start the frame's position in the request ring
     */
    void gather(LinkPort port, RingRequest request, long start, int frameBytes);

    /** Called after the queue pair was closed. */
    default void close() {}
}
