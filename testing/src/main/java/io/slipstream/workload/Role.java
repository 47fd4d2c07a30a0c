// SPDX-License-Identifier: Apache-2.0
package io.slipstream.workload;

import io.slipstream.history.ClientEvent.ClientFailed;
import io.slipstream.process.Deadline;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.KafkaException;

/**
 * A client's thread. It opens the client and works until stopped. After a Kafka error it closes the client and opens a
 * new one, as a resilient application would, and records the error. Any other error ends the role; see {@link
 * #failure()}.
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

    /** An open client; {@code step} is called repeatedly until the role stops. */
    interface Session extends AutoCloseable {
        void step();

        /** The last step: completes started work. */
        void finish();

        @Override
        void close();
    }

    abstract Session open();

    /** @param workload makes the thread's name unique in the run, see {@link ClientNames} */
    final void start(String workload) {
        thread.setName(workload + "/" + name);
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

    /** Returns whether the thread ended by the deadline. */
    final boolean awaitEnd(Deadline deadline) {
        return deadline.await(() -> !thread.isAlive());
    }

    final String name() {
        return name;
    }

    /** Returns the error that ended the role early, or null. */
    final Throwable failure() {
        return failure;
    }
}
