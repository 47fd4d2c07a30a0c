// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.ring;

import java.util.concurrent.atomic.AtomicInteger;

/** The use of a request ring for gauges. The ring's owner writes it with ordered stores; any thread reads it. */
public final class RingUse {
    /** Requests that are neither handled nor answered; each holds a credit. */
    public final AtomicInteger requests = new AtomicInteger();
    /** Handled requests that wait for their answers. */
    public final AtomicInteger waiting = new AtomicInteger();
    /** Bytes from the oldest unreleased request to the newest. */
    public final AtomicInteger bytes = new AtomicInteger();
    /** Bytes of unanswered requests that were moved out of the ring. */
    public final AtomicInteger movedBytes = new AtomicInteger();

    void update(int requestCount, int waitingCount, int byteCount, int movedByteCount) {
        requests.lazySet(requestCount);
        waiting.lazySet(waitingCount);
        bytes.lazySet(byteCount);
        movedBytes.lazySet(movedByteCount);
    }
}
