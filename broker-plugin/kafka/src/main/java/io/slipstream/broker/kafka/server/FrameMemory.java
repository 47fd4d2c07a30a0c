// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka.server;

import io.slipstream.broker.ring.RingFrameIn;
import java.nio.ByteBuffer;
import org.apache.kafka.common.memory.MemoryPool;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.ProduceResponse;

/**
 * The memory pool of one request. Releasing its buffer releases the ring's bytes. The pool also leads to the request's
 * frame.
 */
public record FrameMemory(RingFrameIn frame) implements MemoryPool {
    /** Notes of the answer, while it is not bytes yet, whether it names a broker's address. */
    public void note(AbstractResponse response) {
        frame.namesNoBroker = namesNoBroker(response);
    }

    /** Only of a Produce, of which there are many. It names leaders that the client should have asked (KIP-951). */
    static boolean namesNoBroker(AbstractResponse response) {
        return response instanceof ProduceResponse produced
                && produced.data().nodeEndpoints().isEmpty();
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
