package io.slipstream.proxy.fastpath.link;

/** Puts request frames, and batches that are placed in segments, where the queue pair sends them from. */
interface FrameSource {
    /**
     * Names the bytes of a whole frame, header and padding included, in the work request that {@code port} is building.
     *
     * @param request its sequence and session are set
     * @param start the frame's position in the request ring
     */
    void gather(LinkPort port, RingRequest request, long start, int frameBytes);

    /**
     * Writes the batches of a request to where they are placed, without offset and length; false if that cannot be posted.
     *
     * @param decided what was decided for this request
     * @param start the frame's position in the request ring
     */
    boolean place(LinkPort port, RingRequest request, Landings decided, long start);

    /** Bytes of the ring that the payload of such a request takes. */
    int placedPayloadBytes(Landings decided);

    /** As {@link #gather}, of what remains of a request whose batches were placed. */
    void gatherPlaced(LinkPort port, RingRequest request, Landings decided, long start, int frameBytes);

    /** As {@link #gather}, of the frame that begins or ends the landing {@link RingRequest#place}. */
    void gatherChange(LinkPort port, RingRequest request, long start, int frameBytes);

    /** After the queue pair was closed. */
    void close();
}
