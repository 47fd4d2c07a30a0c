// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.read;

import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * One consumer.
 *
 * @param reset {@code auto.offset.reset}
 * @param logs logs to choose assignments from
 */
record ReaderPlan(String name, boolean readCommitted, String reset, List<WrittenLog> logs) {
    static final String NONE = "none";
    static final String LATEST = "latest";
    static final String EARLIEST = "earliest";

    /** Returns settings with random limits. */
    Map<String, Object> settings(String bootstrap, Random random) {
        return Map.of(
                "bootstrap.servers",
                bootstrap,
                "client.id",
                name,
                "isolation.level",
                readCommitted ? "read_committed" : "read_uncommitted",
                "auto.offset.reset",
                reset,
                "enable.auto.commit",
                false,
                "fetch.max.wait.ms",
                50 + random.nextInt(400),
                "max.partition.fetch.bytes",
                1 << (14 + random.nextInt(7)),
                "fetch.max.bytes",
                1 << (16 + random.nextInt(8)),
                "max.poll.records",
                1 << (4 + random.nextInt(8)));
    }
}
