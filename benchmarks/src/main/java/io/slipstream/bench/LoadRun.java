// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.harness.raw.RequestFrame;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.channels.Selector;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Offers one load on one connection and times requests scheduled after a warm-up. One thread takes the answers; the
 * producer's thread sends.
 */
final class LoadRun {
    private static final long TIMEOUT_MS = 20_000;
    private static final long LONGEST_NS = 60_000_000_000L;
    private final Histogram latencies = Measurement.newHistogram();
    private final Schedule schedule;
    private final long giveUpNs;
    private final long count;
    private final long firstMeasured;
    private long startNs;
    private long lastAnswerNs;
    private long lateAnswers;
    private long answers;

    /** @param giveUpNs time after the start at which unsent requests are given up */
    LoadRun(Schedule schedule, long warmupNs, long measureNs, long giveUpNs) {
        this.schedule = schedule;
        this.giveUpNs = giveUpNs;
        count = schedule.before(warmupNs + measureNs);
        firstMeasured = schedule.before(warmupNs);
    }

    /** @param requests requests of one partition each */
    LoadRun run(InetSocketAddress address, List<RequestFrame> requests, int mostInFlight) throws IOException {
        try (Selector selector = Selector.open();
                ScheduledProducer producer = ScheduledProducer.open(selector, address, requests, mostInFlight)) {
            long settled = firstMeasured > 0 ? producer.settle(selector) : 0;
            startNs = System.nanoTime();
            producer.start(schedule, count, startNs, startNs + giveUpNs);
            long progressNs = startNs;
            while (!producer.isDone()) {
                if (selector.select(1) > 0) {
                    selector.selectedKeys().clear();
                    producer.receive(this::answered);
                    progressNs = System.nanoTime();
                } else if (System.nanoTime() - progressNs > TIMEOUT_MS * 1_000_000) {
                    throw new SocketTimeoutException("no answer within " + TIMEOUT_MS + " ms");
                }
            }
            giveUp(producer.answered(), System.nanoTime() - startNs);
            answers = settled + producer.answered();
        }
        return this;
    }

    private void answered(long index) {
        lastAnswerNs = System.nanoTime();
        if (lastAnswerNs - startNs >= schedule.dueNs(firstMeasured)) {
            lateAnswers++;
        }
        if (index >= firstMeasured) {
            latencies.recordValue(Math.min(LONGEST_NS, lastAnswerNs - startNs - schedule.dueNs(index)));
        }
    }

    /** Counts scheduled requests from this one on that were never sent with at least this latency. */
    void giveUp(long first, long afterNs) {
        for (long index = Math.max(first, firstMeasured); index < count; index++) {
            latencies.recordValue(Math.min(LONGEST_NS, afterNs - schedule.dueNs(index)));
        }
    }

    Histogram latencies() {
        return latencies;
    }

    /** Answers after the warm-up, whatever their schedule: under overload, the backlog comes first. */
    long answersAfterWarmup() {
        return lateAnswers;
    }

    /** Includes those of the warm-up and before the schedule. */
    long answers() {
        return answers;
    }

    /** From the first measured request's scheduled time to the last answer, at least the length of the schedule. */
    long elapsedNs() {
        long scheduledNs = schedule.dueNs(count) - schedule.dueNs(firstMeasured);
        return Math.max(scheduledNs, lastAnswerNs - startNs - schedule.dueNs(firstMeasured));
    }
}
