// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.ring;

import io.slipstream.link.work.LinkPort;

/** Puts request frames where the queue pair sends them from. */
interface FrameSource {
    /**
     * Names the bytes of a whole frame, header and padding included, in the work request that {@code port} is building.
     *
     * @param request its sequence and session are set
     * @param start the frame's position in the request ring
     */
    void gather(LinkPort port, RingRequest request, long start, int frameBytes);

    /** After the queue pair was closed. */
    void close();
}
