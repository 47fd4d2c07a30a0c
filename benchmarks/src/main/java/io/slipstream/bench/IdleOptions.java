// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import java.util.List;
import picocli.CommandLine.Option;

/** Options of {@link IdleSuite}; defaults are smaller in a run of all suites. */
final class IdleOptions {
    private static final List<Integer> FEW_AND_MANY = List.of(1, 10, 100, 1_000);
    private static final List<Integer> MANY = List.of(1_000);

    @Option(
            names = "--consumers",
            split = ",",
            description = "numbers of consumers to measure in turn; each consumer has its own connection")
    private List<Integer> consumers;

    @Option(names = "--partitions", description = "partitions of the topic; each consumer reads one")
    private int partitions = 100;

    @Option(names = "--max-wait-ms", description = "maximum wait of each poll; 500 is the Java client's default")
    private int maxWaitMs = 500;

    @Option(names = "--seconds", description = "length of one wait")
    private Integer seconds;

    @Option(names = "--warmup-seconds", description = "warm-up of each case, with ten times as many polls")
    private Integer warmupSeconds;

    @Option(names = "--records", description = "records after each wait")
    private Integer records;

    void check(BenchOptions options) {
        options.require(
                (consumers == null || consumers.stream().allMatch(count -> count > 0))
                        && partitions > 0
                        && maxWaitMs > 0
                        && (seconds == null || seconds > 0)
                        && (warmupSeconds == null || warmupSeconds >= 0)
                        && (records == null || records >= 0),
                "--consumers, --partitions, --max-wait-ms and --seconds must be positive");
    }

    /**
     * The extent of a run.
     *
     * @param consumers numbers of consumers, ascending
     * @param records records after each wait
     */
    record Plan(
            List<Integer> consumers,
            int partitions,
            int maxWaitMs,
            int seconds,
            int warmupSeconds,
            int records,
            int rounds) {
        int mostConsumers() {
            return consumers.get(consumers.size() - 1);
        }

        /** Returns the partitions for this many consumers: at least one reads each. */
        int partitionsOf(int count) {
            return Math.min(count, partitions);
        }
    }

    /** @param alone whether the suite was requested by name and may take longer */
    Plan plan(BenchOptions options, boolean alone) {
        List<Integer> usual = alone ? MANY : FEW_AND_MANY;
        return new Plan(
                (consumers == null ? usual : consumers)
                        .stream().distinct().sorted().toList(),
                partitions,
                maxWaitMs,
                seconds == null ? alone ? 10 : 5 : seconds,
                warmupSeconds == null ? alone ? 20 : 10 : warmupSeconds,
                records == null ? alone ? 300 : 100 : records,
                options.rounds(alone ? 3 : 2));
    }
}
