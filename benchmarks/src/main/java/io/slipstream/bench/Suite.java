// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import java.util.List;

/** Experiments that belong together and are measured in one go. All of them are listed in {@link Suites}. */
public interface Suite {
    /** As it is named on the command line. */
    String name();

    String sentence();

    /** Ids of what it measures under these options; with {@code --quick} only what decides the table of targets, and floors. Empty if there is nothing to do. */
    List<String> workloads(BenchOptions options);

    /** Over which its ratios' spread is formed. */
    int rounds(BenchOptions options);

    /** Of RDMA operations, for what goes by them. */
    default String provider(BenchOptions options) {
        return options.provider("shm");
    }

    /** Whether {@code --profile} makes profiles of its workloads. */
    default boolean isProfiled() {
        return false;
    }

    /** Roughly how long that takes, in milliseconds, with whatever it starts. */
    long estimateMs(BenchOptions options);

    /** Throws ParameterException on options that make no sense, before anything is measured. */
    default void check(BenchOptions options) {}

    /** Measures. Ends whatever it started but the session's own stage. */
    SuiteResult run(Session session) throws Exception;
}
