// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.job;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Times the records behind the first ones, for which the job warms up. It also counts the records of the first second.
 * One thread counts; it also tells when the job runs.
 */
final class Stopwatch {
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

    private final int warmup;
    private final int records;
    private final CountDownLatch done = new CountDownLatch(1);
    private final long createdNs = System.nanoTime();
    private int count;
    /** 0 for a job that does not tell. */
    private long runningNs;
    /** Negative until the first second is over. */
    private int firstSecond = -1;

    private long startedNs;
    private long tookNs;

    Stopwatch(JobArguments arguments) {
        warmup = arguments.number("--warmup-records");
        records = arguments.number("--num-records");
    }

    /** The first call starts the first second. */
    void running() {
        if (runningNs == 0) {
            runningNs = System.nanoTime();
        }
    }

    void count() {
        if (firstSecond < 0 && runningNs != 0 && System.nanoTime() - runningNs >= SECOND_NS) {
            firstSecond = count;
        }
        count++;
        if (count == warmup) {
            startedNs = System.nanoTime();
        } else if (count == records) {
            tookNs = System.nanoTime() - startedNs;
            firstSecond = firstSecond < 0 ? count : firstSecond;
            done.countDown();
        }
    }

    boolean isDone() {
        return count >= records;
    }

    /** Waits until all records are counted, and prints what was measured. */
    void print(String verb) throws InterruptedException {
        if (!done.await(2, TimeUnit.MINUTES)) {
            throw new IllegalStateException("not " + records + " records in 2 minutes");
        }
        if (runningNs != 0) {
            System.out.printf(
                    "%d records in the first second, started in %d ms%n",
                    firstSecond, TimeUnit.NANOSECONDS.toMillis(runningNs - createdNs));
        }
        System.out.printf(
                "%d records %s after the first %d, %.3f records/s%n",
                records - warmup, verb, warmup, (records - warmup) * 1e9 / tookNs);
    }
}
