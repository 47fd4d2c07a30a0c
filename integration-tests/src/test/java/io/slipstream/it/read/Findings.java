// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.read;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Findings from any thread; the first few as text, the others as a number. */
final class Findings {
    private static final int MOST = 25;

    private final Queue<String> first = new ConcurrentLinkedQueue<>();
    private final AtomicInteger count = new AtomicInteger();

    void add(String format, Object... arguments) {
        if (count.incrementAndGet() <= MOST) {
            first.add(String.format(format, arguments));
        }
    }

    int count() {
        return count.get();
    }

    List<String> first() {
        return List.copyOf(first);
    }
}
