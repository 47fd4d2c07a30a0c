// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.ring;

import java.util.concurrent.atomic.AtomicInteger;

/** The use of a request ring for gauges. The ring's owner writes it with ordered stores; any thread reads it. */
public final class RingUse {
    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicInteger bytes = new AtomicInteger();
    private final AtomicInteger movedBytes = new AtomicInteger();

    void update(int requestCount, int waitingCount, int byteCount, int movedByteCount) {
        requests.lazySet(requestCount);
        waiting.lazySet(waitingCount);
        bytes.lazySet(byteCount);
        movedBytes.lazySet(movedByteCount);
    }

    /** Returns the number of requests that are neither handled nor answered; each holds a credit. */
    public int requests() {
        return requests.get();
    }

    /** Returns the number of handled requests that wait for their answers. */
    public int waiting() {
        return waiting.get();
    }

    /** Returns the bytes from the oldest unreleased request to the newest. */
    public int bytes() {
        return bytes.get();
    }

    /** Returns the bytes of unanswered requests that were moved out of the ring. */
    public int movedBytes() {
        return movedBytes.get();
    }
}
