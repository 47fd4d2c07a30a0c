// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.job;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Times the records behind the first ones, for which the job warms up. One thread counts. */
final class Stopwatch {
    private final int warmup;
    private final int records;
    private final CountDownLatch done = new CountDownLatch(1);
    private int count;
    private long startedNs;
    private volatile long tookNs;

    Stopwatch(JobArguments arguments) {
        warmup = arguments.number("--warmup-records");
        records = arguments.number("--num-records");
    }

    void count() {
        count++;
        if (count == warmup) {
            startedNs = System.nanoTime();
        } else if (count == records) {
            tookNs = System.nanoTime() - startedNs;
            done.countDown();
        }
    }

    boolean isDone() {
        return count >= records;
    }

    /** Waits until all records are counted, and prints the rate. */
    void print(String verb) throws InterruptedException {
        if (!done.await(2, TimeUnit.MINUTES)) {
            throw new IllegalStateException("not " + records + " records in 2 minutes");
        }
        System.out.printf(
                "%d records %s after the first %d, %.3f records/s%n",
                records - warmup, verb, warmup, (records - warmup) * 1e9 / tookNs);
    }
}
