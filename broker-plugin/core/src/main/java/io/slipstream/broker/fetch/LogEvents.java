// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives the events of the hooks of all Kafka lines. It is static because code woven into the broker has no reference
 * to an object of the plugin. It takes {@link Object} because that code must not name Kafka's types. The broker's
 * threads call it. It passes no exception to the broker; if an event fails, its log is revoked.
 */
public final class LogEvents {
    private static final Logger logger = LoggerFactory.getLogger(LogEvents.class);
    /** Number of events that failed; each revoked its log. */
    static final LongAdder failures = new LongAdder();

    /** Null while no slots can be granted: before the read side opens and after it closes. */
    private static volatile Receiver receiver;

    private record Receiver(SlotDirectory directory, SegmentExports segments) {}

    private LogEvents() {}

    static void open(SlotDirectory directory, SegmentExports segments) {
        receiver = new Receiver(directory, segments);
    }

    static void close(SlotDirectory directory) {
        Receiver now = receiver;
        if (now != null && now.directory == directory) {
            receiver = null;
        }
    }

    /**
     * A watermark or the log start offset may have moved. The caller holds the log's lock. This is the only event on
     * the append path.
     */
    public static void logChanged(Object log) {
        Receiver now = receiver;
        LogFeed feed = now == null ? null : now.directory.of(log);
        if (feed == null) {
            return;
        }
        try {
            feed.logChanged();
        } catch (Throwable failure) {
            failed(now, feed, failure);
        }
    }

    /**
     * An aborted transaction was indexed. The caller holds the log's lock and reports {@link #logChanged} before it
     * releases the lock.
     */
    public static void abortedTransactionIndexed() {
        Receiver now = receiver;
        if (now != null) {
            now.directory.abortedSignal.incrementAndGet();
        }
    }

    /**
     * The log's files are about to be truncated, moved, closed, replaced or deleted. {@link #logChangeEnded} follows.
     */
    public static void logChangeBegins(Object log, String reason) {
        Receiver now = receiver;
        if (now != null) {
            now.directory.changeBegins(log);
            revoked(log, reason);
        }
    }

    /** The change has ended or failed. */
    public static void logChangeEnded(Object log, String reason) {
        revoked(log, reason);
        Receiver now = receiver;
        if (now != null) {
            now.directory.changeEnded(log);
        }
    }

    /**
     * Revokes the log's slots; its readers must locate again. The log's bytes change, or its partition is about to lose
     * its leadership on this broker.
     */
    public static void revoked(Object logOrPartition, String reason) {
        Receiver now = receiver;
        LogFeed feed = now == null ? null : now.directory.of(logOrPartition);
        if (feed != null) {
            revoke(now, feed, reason);
        }
    }

    /** This broker is about to lead the partition in this epoch. */
    public static void partitionLed(Object partition, int leaderEpoch) {
        Receiver now = receiver;
        LogFeed feed = now == null ? null : now.directory.of(partition);
        if (feed != null && feed.readable.leaderEpoch() != leaderEpoch) {
            revoke(now, feed, "a new leader epoch");
        }
    }

    /** The partition's leadership or log may have changed, or the log's settings: to compaction, for example. */
    public static void reconfigured(Object logOrPartition) {
        Receiver now = receiver;
        LogFeed feed = now == null ? null : now.directory.of(logOrPartition);
        if (feed == null) {
            return;
        }
        try {
            if (!feed.readable.isServing()) {
                revoke(now, feed, "no longer served");
            }
        } catch (Throwable failure) {
            failed(now, feed, failure);
        }
    }

    /** The segment's files are about to be renamed or deleted. */
    public static void segmentRemoved(Object segment) {
        Receiver now = receiver;
        if (now == null) {
            return;
        }
        try {
            now.segments.removed(segment);
        } catch (Throwable failure) {
            failures.increment();
            logger.error("A removed segment could not be withdrawn from readers", failure);
        }
    }

    private static void revoke(Receiver now, LogFeed feed, String reason) {
        try {
            now.directory.revoke(feed, reason);
        } catch (Throwable failure) {
            failures.increment();
            logger.error(
                    "Slots of {}-{} could not be revoked", feed.readable.topic(), feed.readable.partition(), failure);
        }
    }

    private static void failed(Receiver now, LogFeed feed, Throwable failure) {
        failures.increment();
        logger.error(
                "A change of {}-{} could not be published, its slots are revoked",
                feed.readable.topic(),
                feed.readable.partition(),
                failure);
        revoke(now, feed, "a change could not be published");
    }
}
