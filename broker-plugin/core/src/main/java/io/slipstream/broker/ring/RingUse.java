// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.ring;

import java.util.concurrent.atomic.AtomicInteger;

/** How much of a request ring is in use, for whoever scrapes: written by the ring's owner with plain stores. */
public final class RingUse {
    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicInteger bytes = new AtomicInteger();

    void update(int requestCount, int byteCount) {
        requests.lazySet(requestCount);
        bytes.lazySet(byteCount);
    }

    /** Requests that are not done, and with each its credit. */
    public int requests() {
        return requests.get();
    }

    /** Bytes from the oldest such request to the newest. */
    public int bytes() {
        return bytes.get();
    }
}
