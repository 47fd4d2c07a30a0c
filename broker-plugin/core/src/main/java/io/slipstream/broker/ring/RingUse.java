// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.ring;

import java.util.concurrent.atomic.AtomicInteger;

/** The use of a request ring for gauges. The ring's owner writes it with ordered stores; any thread reads it. */
public final class RingUse {
    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicInteger bytes = new AtomicInteger();

    void update(int requestCount, int byteCount) {
        requests.lazySet(requestCount);
        bytes.lazySet(byteCount);
    }

    /** Returns the number of unfinished requests; each holds a credit. */
    public int requests() {
        return requests.get();
    }

    /** Returns the bytes from the oldest unfinished request to the newest. */
    public int bytes() {
        return bytes.get();
    }
}
