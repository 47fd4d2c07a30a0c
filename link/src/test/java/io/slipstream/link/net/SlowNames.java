// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A host without DNS: lookups hang despite interrupts until they are released. Then every name has two addresses:
 * {@link #DEAD}, where nothing listens, and loopback.
 */
public final class SlowNames implements NameLookups.Source {
    public static final String DEAD = "127.0.0.9";

    /** Names in the order of lookups, with their threads. */
    public final List<String> asked = new CopyOnWriteArrayList<>();

    public final List<Thread> threads = new CopyOnWriteArrayList<>();
    private final CountDownLatch released = new CountDownLatch(1);
    private final CountDownLatch first = new CountDownLatch(1);

    @Override
    public InetAddress[] addressesOf(String name) throws UnknownHostException {
        asked.add(name);
        threads.add(Thread.currentThread());
        first.countDown();
        boolean interrupted = false;
        long endNs = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        while (System.nanoTime() - endNs < 0) {
            try {
                if (released.await(1, TimeUnit.SECONDS)) {
                    break;
                }
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return new InetAddress[] {InetAddress.getByName(DEAD), InetAddress.getLoopbackAddress()};
    }

    /** Waits until the first lookup hangs. */
    public void awaitHanging() throws InterruptedException {
        assertThat(first.await(10, TimeUnit.SECONDS)).as("a lookup began").isTrue();
    }

    public void release() {
        released.countDown();
    }
}
