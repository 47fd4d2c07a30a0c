package io.slipstream.broker.kafka.server;

import io.slipstream.broker.ring.LandedFrame;
import java.nio.ByteBuffer;
import org.apache.kafka.common.memory.MemoryPool;

/** The memory pool of one request: releasing its buffer gives the ring's bytes back. It also leads from the request to its frame. */
public final class FrameMemory implements MemoryPool {
    private final LandedFrame frame;

    FrameMemory(LandedFrame frame) {
        this.frame = frame;
    }

    public LandedFrame frame() {
        return frame;
    }

    @Override
    public void release(ByteBuffer previouslyAllocated) {
        frame.releaseBytes();
    }

    @Override
    public ByteBuffer tryAllocate(int sizeBytes) {
        throw new UnsupportedOperationException("a request in a ring has its memory already");
    }

    @Override
    public long size() {
        return frame.payload().capacity();
    }

    @Override
    public long availableMemory() {
        return 0;
    }

    @Override
    public boolean isOutOfMemory() {
        return false;
    }
}
