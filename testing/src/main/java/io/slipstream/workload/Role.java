// SPDX-License-Identifier: Apache-2.0
package io.slipstream.workload;

import io.slipstream.history.ClientEvent.ClientFailed;
import io.slipstream.process.Deadline;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.KafkaException;

/**
 * A client's thread: opens the client, works until told to stop, and after any error of Kafka's closes it and opens a new one, as an application that must go on would. Errors are recorded. Anything
 * but an error of Kafka's ends the role, and {@link #failure()} tells.
 */
abstract class Role implements Runnable {
    private static final Duration PAUSE_AFTER_ERROR = Duration.ofMillis(100);

    private final String name;
    private final RecordedRun run;
    private final Thread thread;
    private volatile boolean stopping;
    private volatile Throwable failure;

    Role(String name, RecordedRun run) {
        this.name = name;
        this.run = run;
        thread = new Thread(this, "workload-" + name);
        thread.setDaemon(true);
    }

    /** A client that is open; {@code step} is called again and again until the role stops. */
    interface Session extends AutoCloseable {
        void step();

        /** The last step: completes what was begun. */
        void finish();

        @Override
        void close();
    }

    abstract Session open();

    final void start() {
        thread.start();
    }

    @Override
    public final void run() {
        while (!stopping && failure == null) {
            try (Session session = open()) {
                while (!stopping) {
                    session.step();
                }
                session.finish();
            } catch (KafkaException e) {
                run.recorder()
                        .record(new ClientFailed(
                                run.recorder().nowNs(),
                                name,
                                "session",
                                e.getClass().getSimpleName()));
                LockSupport.parkNanos(PAUSE_AFTER_ERROR.toNanos());
            } catch (RuntimeException | Error e) {
                failure = e;
            }
        }
    }

    final void stop() {
        stopping = true;
    }

    /** Whether the thread has ended by the deadline. */
    final boolean awaitEnd(Deadline deadline) {
        return deadline.await(() -> !thread.isAlive());
    }

    final String name() {
        return name;
    }

    /** What ended the role before its time; null if nothing did. */
    final Throwable failure() {
        return failure;
    }
}
