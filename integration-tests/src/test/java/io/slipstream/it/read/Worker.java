// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.read;

import io.slipstream.process.Patience;

/** A thread that works until stopped; a failure goes to the findings. */
abstract class Worker implements AutoCloseable {
    private final String name;
    private final Findings findings;
    private final Thread thread;
    private volatile boolean stopped;

    Worker(String name, Findings findings) {
        this.name = name;
        this.findings = findings;
        thread = new Thread(this::run, name);
        thread.setDaemon(true);
    }

    /** Works until {@link #isStopped()}. */
    abstract void work();

    final void start() {
        thread.start();
    }

    private void run() {
        try {
            work();
        } catch (RuntimeException | Error e) {
            findings.add("%s: %s, caused by %s", name, e, e.getCause());
        }
    }

    final boolean isStopped() {
        return stopped;
    }

    final void stop() {
        stopped = true;
    }

    /** Returns when the thread has ended. */
    @Override
    public final void close() {
        stop();
        try {
            thread.join(Patience.ms(60_000));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (thread.isAlive()) {
            findings.add("%s does not end", name);
        }
    }
}
