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
 * Stops a starting broker between the end of its recovery, which its log reports, and its first request, and copies its
 * logs. In this interval the broker waits some hundred milliseconds for its quorum and for unfencing. Any append in
 * between shows as a difference from the image of the kill.
 */
final class RecoveryWatch {
    private static final String RECOVERED = ".LogManager)";
    private static final String LOADED = "Loaded ";
    private static final long PATIENCE_NS = Patience.ofSeconds(60).toNanos();
    private static final long PAUSE_NS = 2_000_000;

    private final Path log;
    private long position;
    private String rest = "";

    /** Reads lines appended to the log from now on. */
    RecoveryWatch(BrokerProcess broker) {
        log = broker.log();
        position = log.toFile().length();
    }

    /** Call after the start of the broker; returns when the broker continues. */
    void copy(BrokerProcess broker, Path target) {
        long start = System.nanoTime();
        while (!sawRecovery()) {
            if (System.nanoTime() - start > PATIENCE_NS || !broker.isAlive()) {
                throw new FaultFailure("the broker did not recover its logs" + broker.logTail());
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

    /** The class has a different package in each broker line. */
    static boolean isEndOfRecovery(String line) {
        int loaded = line.indexOf(LOADED);
        return loaded >= 0 && line.contains(" logs in ") && line.endsWith(RECOVERED);
    }
}
