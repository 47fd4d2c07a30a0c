// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.read;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One writer.
 *
 * @param number number in the run
 * @param kind its guarantee
 * @param codec {@code compression.type}
 * @param mostRecords most records of one partition at once, besides a few large batches; with a small number all are
 * small
 * @param logs logs to write to
 */
record WriterPlan(int number, Kind kind, String codec, int mostRecords, List<WrittenLog> logs) {
    enum Kind {
        /** Without sequences, acks=1. */
        PLAIN,
        IDEMPOTENT,
        /** Some are aborted. */
        TRANSACTIONAL,
        /** Each transaction stays open for seconds. */
        LONG_TRANSACTIONS
    }

    boolean isTransactional() {
        return kind == Kind.TRANSACTIONAL || kind == Kind.LONG_TRANSACTIONS;
    }

    Map<String, Object> settings(String bootstrap) {
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", bootstrap);
        settings.put("client.id", "writer-" + number);
        settings.put("compression.type", codec);
        settings.put("linger.ms", 5);
        settings.put("batch.size", 256 * 1024);
        settings.put("delivery.timeout.ms", 120_000);
        settings.put("enable.idempotence", kind != Kind.PLAIN);
        settings.put("acks", kind == Kind.PLAIN ? "1" : "all");
        if (kind == Kind.PLAIN) {
            // A retry could append twice without an acknowledgement of the first time.
            settings.put("retries", 0);
        }
        if (isTransactional()) {
            settings.put("transactional.id", "writer-" + number);
        }
        return settings;
    }
}
