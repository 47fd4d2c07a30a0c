// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.read;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/** Deletes records from the start of logs at intervals, on its own thread, like an administrator. */
final class LogTrimmer extends Worker {
    private static final long PAUSE_MS = 700;

    private final List<WrittenLog> logs;
    private final BrokerBounds broker;
    private final Random random;

    LogTrimmer(List<WrittenLog> logs, BrokerBounds broker, long seed, Findings findings) {
        super("trimmer", findings);
        this.logs = logs;
        this.broker = broker;
        random = new Random(seed);
    }

    @Override
    void work() {
        while (!isStopped()) {
            LockSupport.parkNanos(Duration.ofMillis(PAUSE_MS).toNanos());
            WrittenLog log = logs.get(random.nextInt(logs.size()));
            long start = log.askStart();
            long length = log.end() - start;
            if (length > 1) {
                broker.deleteRecords(log.partition(), start + random.nextLong(length / 2));
                log.askStart();
            }
        }
    }
}
