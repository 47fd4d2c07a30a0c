// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Finds the feed of the broker's log or partition object. A log without slots costs the broker one lookup in a
 * concurrent hash map: no allocation, no lock.
 */
final class SlotDirectory {
    /** By log and by partition. */
    private final ConcurrentMap<Object, LogFeed> feeds = new ConcurrentHashMap<>();

    /**
     * Counts the aborted transactions that the broker indexes in all logs. A feed compares the count at each move of
     * its watermark. It does so on the thread, and under the lock, that wrote its log's index, so it cannot miss one of
     * its own log. A count from another log costs it one look at its active segment's index.
     */
    final AtomicLong abortedSignal = new AtomicLong();

    /** Logs whose files are being replaced, truncated or moved, with the number of threads that do so. */
    private final ConcurrentMap<Object, Integer> changing = new ConcurrentHashMap<>();

    /** Number of revoked slots, without those that their readers released. */
    final LongAdder revocations = new LongAdder();

    void changeBegins(Object log) {
        changing.merge(log, 1, Integer::sum);
    }

    void changeEnded(Object log) {
        changing.computeIfPresent(log, (changed, threads) -> threads == 1 ? null : threads - 1);
    }

    /**
     * Returns whether the log's files are being changed now. A slot granted during the change is revoked at its end.
     * Until then the log's indexes may not match the bytes that the slot's reader has read.
     */
    boolean isChanging(Object log) {
        return changing.containsKey(log);
    }

    LogFeed of(Object logOrPartition) {
        return feeds.get(logOrPartition);
    }

    /** Adds the slot to the log's feed. Returns null if the log cannot be served now. */
    LogFeed subscribe(ReadableLog log, GrantedSlot slot) {
        synchronized (log.monitor()) {
            LogFeed feed = feeds.get(log.identity());
            if (feed == null || !feed.isServing() || feed.readable.leaderEpoch() != log.leaderEpoch()) {
                if (feed != null) {
                    revoke(feed, "a newer leader epoch");
                }
                feed = new LogFeed(log, abortedSignal);
                if (!feed.prime()) {
                    return null;
                }
                feeds.put(log.identity(), feed);
                feeds.put(log.partitionIdentity(), feed);
            }
            // The leadership may have moved since the log was located. The hooks find the feed only from here on. This
            // check covers earlier hooks, and later hooks find the feed.
            if (!log.isServing()) {
                revoke(feed, "no longer served");
                return null;
            }
            feed.add(slot);
            return feed;
        }
    }

    /** Revokes one slot. The log's other slots stay. */
    void revoke(GrantedSlot slot) {
        LogFeed feed = slot.feed;
        synchronized (feed.readable.monitor()) {
            slot.publishRevoked();
            feed.remove(slot);
            if (!feed.hasSlots()) {
                forget(feed);
            }
        }
    }

    /** Revokes a slot in use, as {@link #revoke(GrantedSlot)} does, and counts it. */
    void take(GrantedSlot slot) {
        revocations.increment();
        revoke(slot);
    }

    /** Revokes all slots of the log, under its lock. */
    void revoke(LogFeed feed, String reason) {
        synchronized (feed.readable.monitor()) {
            revocations.add(feed.revoke(reason));
            forget(feed);
        }
    }

    private void forget(LogFeed feed) {
        feeds.remove(feed.readable.identity(), feed);
        feeds.remove(feed.readable.partitionIdentity(), feed);
    }
}
