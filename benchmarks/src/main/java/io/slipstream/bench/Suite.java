// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import java.util.List;

/** A group of experiments measured together. {@link Suites} lists all suites. */
public interface Suite {
    /** Returns the name for the command line. */
    String name();

    String sentence();

    /**
     * Returns the ids of the measured workloads under these options. With {@code --quick} only those of the table of
     * targets, and floors. May be empty.
     */
    List<String> workloads(BenchOptions options);

    /** Returns the number of rounds, over which ratios spread. */
    int rounds(BenchOptions options);

    /** Returns the RDMA provider. */
    default String provider(BenchOptions options) {
        return options.provider("shm");
    }

    /** Returns whether {@code --profile} covers the suite. */
    default boolean isProfiled() {
        return false;
    }

    /** Returns the approximate duration in milliseconds, including process starts. */
    long estimateMs(BenchOptions options);

    /**
     * Validates options before anything is measured.
     *
     * @throws picocli.CommandLine.ParameterException on contradictory options
     */
    default void check(BenchOptions options) {}

    /** Measures. Ends all processes that it started, except the session's stage. */
    SuiteResult run(Session session) throws Exception;
}
