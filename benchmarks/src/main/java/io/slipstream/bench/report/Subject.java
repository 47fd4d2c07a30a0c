// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.report;

import java.util.Map;

/**
 * What was measured.
 *
 * @param workload unique in a run; targets name it
 * @param label for people
 * @param parameters what distinguishes it from its neighbours in a sweep, such as {@link #RECORD_BYTES}
 */
public record Subject(String suite, String workload, String label, Map<String, Long> parameters) {
    public static final String RECORD_BYTES = "recordBytes";
    public static final String PARTITIONS = "partitions";
    public static final String IN_FLIGHT = "inFlight";
    /** Requests per second that were due. */
    public static final String OFFERED = "offeredPerSecond";

    public static final String CONSUMERS = "consumers";
}
