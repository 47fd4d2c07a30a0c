// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Finds the feed of a log or partition object of the broker. A log without slots costs the broker one lookup in a
 * concurrent hash map: no allocation, no lock.
 */
final class SlotDirectory {
    /** By log and by partition. */
    private final ConcurrentMap<Object, LogFeed> feeds = new ConcurrentHashMap<>();

    /**
     * Counts the aborted transactions that the broker indexed, over all logs. A feed compares the count at each move of
     * its watermark, on the thread and under the lock under which its own log's index was written, so it cannot miss one
     * of its own; seeing a count of another log costs it one look at its active segment's index.
     */
    final AtomicLong abortedSignal = new AtomicLong();

    /** Logs whose files are being replaced, cut or moved, each with how many threads do so. */
    private final ConcurrentMap<Object, Integer> changing = new ConcurrentHashMap<>();

    /** Slots that were taken from their readers, other than because these had let go. */
    private final LongAdder revocations = new LongAdder();

    long revocations() {
        return revocations.sum();
    }

    void changeBegins(Object log) {
        changing.merge(log, 1, Integer::sum);
    }

    void changeEnded(Object log) {
        changing.computeIfPresent(log, (changed, threads) -> threads == 1 ? null : threads - 1);
    }

    /**
     * Whether the log's files are being changed now. A slot that was granted meanwhile is revoked when that is over;
     * until then what the log's indexes say need not fit what the slot's reader has read.
     */
    boolean isChanging(Object log) {
        return changing.containsKey(log);
    }

    LogFeed of(Object logOrPartition) {
        return feeds.get(logOrPartition);
    }

    /** Feeds the slot from now on. Null if the log cannot be served now. */
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
            // Leadership may have moved since the log was located. Only now that the feed can be found do the hooks see
            // it: those that
            // ran before are caught by this question, those that come find the feed.
            if (!log.isServing()) {
                revoke(feed, "no longer served");
                return null;
            }
            feed.add(slot);
            return feed;
        }
    }

    void unsubscribe(LogFeed feed, GrantedSlot slot) {
        synchronized (feed.readable.monitor()) {
            feed.remove(slot);
            if (!feed.hasSlots()) {
                forget(feed);
            }
        }
    }

    /** Revokes one slot; the log's other slots go on. */
    void revoke(LogFeed feed, GrantedSlot slot) {
        synchronized (feed.readable.monitor()) {
            slot.publishRevoked();
            unsubscribe(feed, slot);
        }
    }

    /** As {@link #revoke(LogFeed, GrantedSlot)}, of one that is in use. */
    void take(GrantedSlot slot) {
        revocations.increment();
        revoke(slot.feed, slot);
    }

    /** Revokes all slots of the log; takes its lock. */
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
