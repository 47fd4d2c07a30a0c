// SPDX-License-Identifier: Apache-2.0
package io.slipstream.leaks;

import io.netty.buffer.ByteBufAllocator;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails each test class after which Netty reports leaked buffers. Registered for all classes of a module by its service
 * file and {@code junit.jupiter.extensions.autodetection.enabled} in junit-platform.properties.
 */
public final class LeakCheck implements AfterAllCallback {
    private static final long PATIENCE_NS = Duration.ofSeconds(5).toNanos();

    @Override
    public void afterAll(ExtensionContext context) {
        List<String> leaks = collect();
        if (!leaks.isEmpty()) {
            throw new AssertionError(leaks.size() + " leaked buffers:\n" + String.join("\n\n", leaks));
        }
    }

    /** Makes the garbage collector find dropped buffers, and Netty report them. */
    static List<String> collect() {
        WeakReference<Object> dropped = new WeakReference<>(new Object());
        long deadlineNs = System.nanoTime() + PATIENCE_NS;
        do {
            System.gc();
        } while (dropped.get() != null && System.nanoTime() < deadlineNs);
        // Each allocation polls the collector's results.
        ByteBufAllocator.DEFAULT.directBuffer(1).release();
        ByteBufAllocator.DEFAULT.heapBuffer(1).release();
        return RecordingLeakDetector.drain();
    }
}
