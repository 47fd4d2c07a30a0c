// SPDX-License-Identifier: Apache-2.0
package io.slipstream.containers.client;

import java.util.concurrent.CountDownLatch;

/** The program. */
public final class WorkloadClient {
    private final CountDownLatch stopping = new CountDownLatch(1);
    private final CountDownLatch flushed = new CountDownLatch(1);
    private final Sender sender;
    private final Reader reader;

    private WorkloadClient(Settings settings) {
        AcknowledgedEnds ends = new AcknowledgedEnds(settings.partitions());
        sender = new Sender(settings, ends);
        reader = new Reader(settings, ends);
    }

    public static void main(String[] arguments) throws InterruptedException {
        WorkloadClient client = new WorkloadClient(Settings.of(System.getenv()));
        Thread main = Thread.currentThread();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> client.stop(main)));
        client.run();
    }

    private void run() throws InterruptedException {
        Thread reading = new Thread(() -> guarded(reader.results(), () -> reader.run(flushed)), "reader");
        reading.start();
        guarded(sender.results(), () -> sender.run(stopping));
        flushed.countDown();
        reading.join();
        // Does not call exit(), because SIGTERM's shutdown waits for this thread and would end with status 143.
        Runtime.getRuntime().halt(0);
    }

    /** On SIGTERM the process ends with its hooks, so this hook waits for the work. */
    private void stop(Thread main) {
        stopping.countDown();
        try {
            main.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private interface Work {
        void run() throws InterruptedException;
    }

    /** An escaping exception is a bug of this program. */
    private static void guarded(Results results, Work work) {
        try {
            work.run();
        } catch (Exception | Error e) {
            results.write("crashed", Results.error(e));
            e.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
    }
}
