// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import io.slipstream.process.StartFailure;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/** A process that one fault at a time may end and start; fixtures of the harness are not safe for concurrent use. */
final class Guarded<P> {
    private static final int START_ATTEMPTS = 4;

    private final ReentrantLock lock = new ReentrantLock(true);
    private final String name;
    private final P process;

    Guarded(String name, P process) {
        this.name = name;
        this.process = process;
    }

    /** For reading alone: process id, ports, whether it is alive. */
    P peek() {
        return process;
    }

    void exclusively(Consumer<P> action) {
        lock.lock();
        try {
            action.accept(process);
        } finally {
            lock.unlock();
        }
    }

    /** Starts it again, and anew if it does not serve in time, as on a machine with better things to do; throws {@link StartFailure} if it never does. */
    static void restart(Runnable start) {
        for (int attempt = 1; ; attempt++) {
            try {
                start.run();
                return;
            } catch (StartFailure slow) {
                if (attempt == START_ATTEMPTS) {
                    throw slow;
                }
            }
        }
    }

    /** As in tables: {@code proxy-1}, {@code broker-3}. */
    @Override
    public String toString() {
        return name;
    }
}
