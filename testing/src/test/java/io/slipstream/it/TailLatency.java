// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.harness.raw.RawClient;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.stream.LongStream;

/**
 * The p99 of one client directly at the broker and of one through a proxy, with the same requests in the same run. A
 * fault of others may cost the second twice what it costs the first. Milliseconds.
 */
public record TailLatency(long directMs, long proxiedMs) {
    /** For a busy machine. */
    private static final long SLACK_MS = 150;

    /** A request and its answer. */
    public interface Request {
        void run(RawClient client, int round) throws IOException;
    }

    /** Measures by turns, so that both clients meet each moment of a fault. */
    public static TailLatency of(RawClient direct, RawClient proxied, int rounds, Request request) throws IOException {
        return of(direct, proxied, round -> round < rounds, request);
    }

    /** Likewise, as long as there are more rounds. */
    public static TailLatency of(RawClient direct, RawClient proxied, IntPredicate more, Request request)
            throws IOException {
        LongStream.Builder directNs = LongStream.builder();
        LongStream.Builder proxiedNs = LongStream.builder();
        for (int round = 0; more.test(round); round++) {
            directNs.add(timeNs(direct, round, request));
            proxiedNs.add(timeNs(proxied, round, request));
        }
        return new TailLatency(p99Ms(directNs.build()), p99Ms(proxiedNs.build()));
    }

    private static long timeNs(RawClient client, int round, Request request) throws IOException {
        long startNs = System.nanoTime();
        request.run(client, round);
        return System.nanoTime() - startNs;
    }

    public static long p99Ms(LongStream timesNs) {
        long[] sorted = timesNs.sorted().toArray();
        assertThat(sorted).as("times").isNotEmpty();
        return TimeUnit.NANOSECONDS.toMillis(sorted[sorted.length * 99 / 100]);
    }

    public void verify() {
        assertThat(proxiedMs).as("p99, ms; %s", this).isLessThanOrEqualTo(2 * directMs + SLACK_MS);
    }

    @Override
    public String toString() {
        return "p99 %d ms direct, %d ms proxied".formatted(directMs, proxiedMs);
    }
}
