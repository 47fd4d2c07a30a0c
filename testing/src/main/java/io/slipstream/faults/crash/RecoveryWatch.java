// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.crash;

import io.slipstream.faults.FaultFailure;
import io.slipstream.faults.Signals;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Patience;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/**
 * Catches a starting broker between the end of its recovery, which its log tells, and its first request, and copies its logs while it is stopped. Between the two it waits for its quorum and
 * is unfenced, which takes some hundred milliseconds; whatever was appended in spite of that shows as a difference from what the kill left.
 */
final class RecoveryWatch {
    private static final String RECOVERED = ".LogManager)";
    private static final String LOADED = "Loaded ";
    private static final long PATIENCE_NS = Patience.ofSeconds(60).toNanos();
    private static final long PAUSE_NS = 2_000_000;

    private final Path log;
    private long position;
    private String rest = "";

    /** Watches what is appended to the log from now on. */
    RecoveryWatch(BrokerProcess broker) {
        log = broker.log();
        position = log.toFile().length();
    }

    /** To be called when the broker was started; returns when it runs on. */
    void copy(BrokerProcess broker, Path target) {
        long start = System.nanoTime();
        while (!sawRecovery()) {
            if (System.nanoTime() - start > PATIENCE_NS || !broker.isAlive()) {
                throw new FaultFailure("the broker does not recover its logs" + broker.logTail());
            }
            LockSupport.parkNanos(PAUSE_NS);
        }
        Signals.stop(broker.pid());
        try {
            Images.copy(broker.logDirectory(), target);
        } finally {
            Signals.resume(broker.pid());
        }
    }

    private boolean sawRecovery() {
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
            byte[] more = new byte[(int) Math.max(0, file.length() - position)];
            file.seek(position);
            file.readFully(more);
            position += more.length;
            String text = rest + new String(more, StandardCharsets.ISO_8859_1);
            int whole = text.lastIndexOf('\n') + 1;
            rest = text.substring(whole);
            return text.substring(0, whole).lines().anyMatch(RecoveryWatch::isEndOfRecovery);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + log, e);
        }
    }

    /** The class has another package in each line of brokers. */
    static boolean isEndOfRecovery(String line) {
        int loaded = line.indexOf(LOADED);
        return loaded >= 0 && line.contains(" logs in ") && line.endsWith(RECOVERED);
    }
}
