// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.report;

import java.util.Map;

/**
 * The measured subject.
 *
 * @param workload unique in a run; targets refer to it
 * @param label text for people
 * @param parameters parameters of a sweep, such as {@link #RECORD_BYTES}
 */
public record Subject(String suite, String workload, String label, Map<String, Long> parameters) {
    public static final String RECORD_BYTES = "recordBytes";
    public static final String PARTITIONS = "partitions";
    public static final String IN_FLIGHT = "inFlight";
    /** Scheduled requests per second. */
    public static final String OFFERED = "offeredPerSecond";

    public static final String CONSUMERS = "consumers";
}
