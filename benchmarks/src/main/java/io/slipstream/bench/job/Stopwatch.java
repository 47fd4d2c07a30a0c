// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.job;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Times the records behind the first ones, for which the job warms up. It also counts the records of the first second,
 * and takes the processor time that given processes use for the timed records. One thread counts; it also tells when
 * the job runs.
 */
final class Stopwatch {
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

    private final int warmup;
    private final int records;
    private final List<Long> pids;
    private final Map<Long, Long> processorsNs = new LinkedHashMap<>();
    private final CountDownLatch running = new CountDownLatch(1);
    private final CountDownLatch warm = new CountDownLatch(1);
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
        pids = arguments.pids();
    }

    /** The first call starts the first second. */
    void running() {
        if (runningNs == 0) {
            runningNs = System.nanoTime();
            running.countDown();
        }
    }

    void count() {
        if (firstSecond < 0 && runningNs != 0 && System.nanoTime() - runningNs >= SECOND_NS) {
            firstSecond = count;
        }
        count++;
        if (count == warmup) {
            readProcessors(-1);
            startedNs = System.nanoTime();
            warm.countDown();
        } else if (count == records) {
            tookNs = System.nanoTime() - startedNs;
            firstSecond = firstSecond < 0 ? count : firstSecond;
            readProcessors(1);
            done.countDown();
        }
    }

    private void readProcessors(int sign) {
        for (long pid : pids) {
            long usedNs = ProcessHandle.of(pid)
                    .flatMap(process -> process.info().totalCpuDuration())
                    .orElseThrow()
                    .toNanos();
            processorsNs.merge(pid, sign * usedNs, Long::sum);
        }
    }

    boolean isDone() {
        return count >= records;
    }

    void awaitRunning() throws InterruptedException {
        await(running, "the job does not run");
    }

    void awaitWarm() throws InterruptedException {
        await(warm, "the job is not warm");
    }

    private static void await(CountDownLatch latch, String otherwise) throws InterruptedException {
        if (!latch.await(1, TimeUnit.MINUTES)) {
            throw new IllegalStateException(otherwise + " after 1 minute");
        }
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
        processorsNs.forEach((pid, usedNs) -> System.out.printf(
                "%d ms of processor time by process %d%n", TimeUnit.NANOSECONDS.toMillis(usedNs), pid));
        System.out.printf(
                "%d records %s after the first %d, %.3f records/s%n",
                records - warmup, verb, warmup, (records - warmup) * 1e9 / tookNs);
    }
}
