// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import io.slipstream.process.StartFailure;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/** A process that one fault at a time may stop and start, because fixtures are not safe for concurrent use. */
final class Guarded<P> {
    private static final int START_ATTEMPTS = 4;

    private final ReentrantLock lock = new ReentrantLock(true);
    private final String name;
    private final P process;

    Guarded(String name, P process) {
        this.name = name;
        this.process = process;
    }

    /** For read access only: process id, ports, liveness. */
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

    /**
     * Restarts the process, and retries if it does not serve in time on a busy machine.
     *
     * @throws StartFailure if all attempts fail
     */
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

    /** The name for tables: {@code proxy-1}, {@code broker-3}. */
    @Override
    public String toString() {
        return name;
    }
}
