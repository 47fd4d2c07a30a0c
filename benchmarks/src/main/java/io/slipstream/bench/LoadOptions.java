// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import java.util.List;
import picocli.CommandLine.Option;

/** Options of {@link LoadSuite}. */
final class LoadOptions {
    @Option(names = "--loads", split = ",", description = "offered requests per second, ascending")
    private List<Integer> loads =
            List.of(1_000, 2_000, 3_000, 4_000, 6_000, 8_000, 12_000, 16_000, 24_000, 32_000, 48_000, 64_000, 96_000);

    @Option(names = "--p99-limit-ms", description = "limit for the p99 of the highest load")
    private double p99LimitMs = 5;

    void check(BenchOptions options) {
        options.require(
                loads.stream().allMatch(load -> load > 0)
                        && loads.stream().sorted().distinct().toList().equals(loads),
                "--loads must be positive and ascend");
        options.require(p99LimitMs > 0, "--p99-limit-ms must be positive");
    }

    List<Integer> loads() {
        return loads;
    }

    double p99LimitMs() {
        return p99LimitMs;
    }
}
