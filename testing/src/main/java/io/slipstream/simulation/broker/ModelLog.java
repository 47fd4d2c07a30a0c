// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.broker;

import io.slipstream.broker.fetch.Located;
import io.slipstream.broker.fetch.ReadableLog;
import io.slipstream.broker.fetch.RefusedException;
import io.slipstream.protocol.control.AbortedTransaction;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.simulation.World;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;

/**
 * A partition's log and leadership, with the broker's operations and events in the broker's order. It outlives the
 * broker process; committed records are never lost. It is one class because each operation changes segments, batches,
 * watermarks and aborted transactions together, as under a log's lock.
 */
public final class ModelLog implements PartitionCopy {
    /** The watermarks of one moment, as any reader may see them. */
    public record Watermarks(long highWatermark, long lastStableOffset, long logStartOffset) {}

    private final World world;
    private final String topic;
    private final Uuid topicId;
    private final int partition;
    private final int segmentBytes;
    /** Of the broker's present process; null before the first. */
    private Hooks hooks;

    private final Object lock = new Object();
    private final TreeMap<Long, Long> committed = new TreeMap<>();
    private final List<ModelSegment> segments = new ArrayList<>();
    private final List<LoggedBatch> batches = new ArrayList<>();
    private final Map<Integer, LoggedBatch> newestOfProducer = new HashMap<>();
    /** The newest batch per producer among those deleted by DeleteRecords. */
    private final Map<Integer, LoggedBatch> deletedOfProducer = new HashMap<>();

    /** Batches of deleted segments, by base offset. A reader of an exported region may still get them. */
    private final Map<Long, LoggedBatch> deleted = new HashMap<>();

    private final Set<Watermarks> published = new HashSet<>();
    private int names;
    private int leaderEpoch = 1;
    /** Epoch that the controller has announced to clients; this broker may not know it yet. */
    private int announcedEpoch = 1;

    private boolean leading = true;
    /** Whether the copy on this broker is being written anew and holds other bytes meanwhile. */
    private boolean rewritten;

    private long logStartOffset;
    private long highWatermark;
    private long endOffset;
    private final Transactions transactions = new Transactions();
    /** Identity of this log in the current broker process. */
    private Object identity = new Object();

    private Object partitionIdentity = new Object();

    public ModelLog(World world, String topic, Uuid topicId, int partition, int segmentBytes) {
        this.world = world;
        this.topic = topic;
        this.topicId = topicId;
        this.partition = partition;
        this.segmentBytes = segmentBytes;
        roll();
        note();
    }

    /** A broker process has loaded the log. */
    void loaded(Hooks ofProcess) {
        hooks = ofProcess;
    }

    private void roll() {
        segments.add(new ModelSegment(
                this,
                endOffset,
                Path.of("/sim", topic + "-" + partition, endOffset + "-" + names++ + ".log"),
                segmentBytes));
    }

    ModelSegment active() {
        return segments.get(segments.size() - 1);
    }

    /** Records the state as one that readers may see. */
    private void note() {
        published.add(watermarks());
    }

    public Watermarks watermarks() {
        return new Watermarks(highWatermark, lastStableOffset(), logStartOffset);
    }

    public boolean wasPublished(Watermarks seen) {
        return published.contains(seen);
    }

    private long lastStableOffset() {
        return Math.min(highWatermark, Math.max(logStartOffset, transactions.firstUnstableOffset()));
    }

    public int partition() {
        return partition;
    }

    public boolean isLeading() {
        return leading;
    }

    public int leaderEpoch() {
        return leaderEpoch;
    }

    /** Returns the leader epoch that clients can learn now. */
    public int announcedEpoch() {
        return announcedEpoch;
    }

    /** The controller tells clients of the next epoch before this broker learns of it. */
    public void announce() {
        announcedEpoch = leaderEpoch + 1;
    }

    @Override
    public long highWatermark() {
        return highWatermark;
    }

    @Override
    public long logStartOffset() {
        return logStartOffset;
    }

    @Override
    public long endOffset() {
        return endOffset;
    }

    /** Returns all aborted transactions, including those with deleted records. */
    public List<AbortedTransaction> aborted() {
        return transactions.aborted();
    }

    Transactions transactions() {
        return transactions;
    }

    String topic() {
        return topic;
    }

    Uuid topicId() {
        return topicId;
    }

    World world() {
        return world;
    }

    Object lock() {
        return lock;
    }

    /** Returns the identity of this log in the current broker process. */
    Object identity() {
        return identity;
    }

    List<ModelSegment> segments() {
        return segments;
    }

    /** Returns the newest batch of the producer, or null. */
    LoggedBatch newest(int producerId) {
        return newestOfProducer.get(producerId);
    }

    /** Returns the batch with the offset, or the first one after it; null if there is none. */
    public LoggedBatch at(long offset) {
        int index = indexOf(offset);
        return index < batches.size() ? batches.get(index) : null;
    }

    /** Returns the batch that begins at the offset, whether deleted since or not; null if there was none. */
    public LoggedBatch beginningAt(long offset) {
        LoggedBatch batch = at(offset);
        return batch != null && batch.baseOffset() == offset ? batch : deleted.get(offset);
    }

    @Override
    public List<LoggedBatch> batches() {
        return batches;
    }

    /** Appends as the leader does. */
    LoggedBatch append(byte[] batch, int producerId, int sequence, int recordCount) {
        byte[] bytes = batch.clone();
        ByteBuffer.wrap(bytes).putLong(0, endOffset).putInt(EPOCH_OFFSET, leaderEpoch);
        return store(bytes, producerId, sequence, recordCount);
    }

    private LoggedBatch store(byte[] bytes, int producerId, int sequence, int recordCount) {
        synchronized (lock) {
            if (!active().hasRoom(bytes.length)) {
                roll();
            }
            LoggedBatch logged = new LoggedBatch(
                    active(),
                    active().append(bytes),
                    endOffset,
                    endOffset + recordCount - 1,
                    producerId,
                    sequence,
                    bytes);
            batches.add(logged);
            newestOfProducer.put(producerId, logged);
            endOffset += recordCount;
            return logged;
        }
    }

    /** Returns the time at which the high watermark passed the offset in this process; -1 if it has not. */
    public long committedAtNs(long offset) {
        var entry = committed.higherEntry(offset);
        return entry == null ? -1 : entry.getValue();
    }

    private void changed() {
        note();
        committed.putIfAbsent(highWatermark, world.nowNs());
        hooks.logChanged(identity);
    }

    /** All in-sync replicas have the records below this offset. */
    void commit(long offset) {
        synchronized (lock) {
            if (leading && offset > highWatermark && offset <= endOffset) {
                highWatermark = offset;
                transactions.committed(highWatermark);
                changed();
            }
        }
    }

    /** Appends to a transaction, which the producer's first batch begins. */
    void appendToTransaction(Batch batch) {
        synchronized (lock) {
            if (!transactions.isUndecided(batch.producerId())) {
                transactions.begin(batch.producerId(), endOffset);
            }
            append(batch);
            changed();
        }
    }

    /** Appends the marker that ends the transaction. */
    void endTransaction(Batch marker, boolean abort) {
        synchronized (lock) {
            append(marker);
            transactions.end(marker.producerId(), abort, endOffset - 1);
            if (abort) {
                hooks.abortedTransactionIndexed();
            }
            changed();
        }
    }

    private void append(Batch batch) {
        append(batch.bytes(), batch.producerId(), batch.sequence(), batch.recordCount());
    }

    /** DeleteRecords: deletes everything below, with the files of whole segments. */
    public void deleteBefore(long offset) {
        synchronized (lock) {
            if (!leading || offset <= logStartOffset || offset > highWatermark) {
                return;
            }
            logStartOffset = offset;
            changed();
            while (segments.size() > 1 && segments.get(1).baseOffset() <= offset) {
                ModelSegment removed = segments.get(0);
                hooks.segmentRemoved(removed);
                segments.remove(0);
                removed.remove();
            }
            for (LoggedBatch batch : batches) {
                if (!segments.contains(batch.segment())) {
                    deletedOfProducer.put(batch.producerId(), batch);
                    deleted.put(batch.baseOffset(), batch);
                }
            }
            batches.removeIf(batch -> !segments.contains(batch.segment()));
        }
    }

    /**
     * Another broker becomes the leader.
     *
     * @param rewrites whether this copy is then written anew: until it is truncated, its bytes are others
     */
    public void loseLeadership(boolean rewrites) {
        if (leading) {
            announce();
            hooks.revoked(partitionIdentity, "another leader");
            leading = false;
            hooks.reconfigured(partitionIdentity);
            rewrite(rewrites);
        }
    }

    private void rewrite(boolean now) {
        if (now != rewritten) {
            rewritten = now;
            batches.forEach(batch -> batch.segment().flip(batch.position() + Batch.HEADER_BYTES, batch.endPosition()));
        }
    }

    /** This broker is elected again without having lost the leadership. */
    public void leadAgain() {
        if (leading) {
            hooks.partitionLed(partitionIdentity, leaderEpoch + 1);
            announce();
            leaderEpoch++;
            hooks.reconfigured(partitionIdentity);
        }
    }

    /** Truncates uncommitted records, as a follower does under a new leader. */
    public void truncateToCommitted() {
        truncateTo(highWatermark);
    }

    @Override
    public void truncateTo(long offset) {
        if (offset < highWatermark) {
            world.violate("replicas", "committed records are truncated, from " + offset + " to " + highWatermark);
            return;
        }
        hooks.revoked(identity, "truncated");
        synchronized (lock) {
            rewrite(false);
            while (!batches.isEmpty() && batches.get(batches.size() - 1).lastOffset() >= offset) {
                LoggedBatch cut = batches.remove(batches.size() - 1);
                while (active() != cut.segment()) {
                    segments.remove(segments.size() - 1).remove();
                }
                active().truncate(cut.position());
            }
            endOffset = Math.min(endOffset, offset);
            transactions.truncated(endOffset);
            newestOfProducer.values().removeIf(batch -> batch.lastOffset() >= offset);
            deletedOfProducer.forEach(newestOfProducer::putIfAbsent);
            batches.forEach(batch -> newestOfProducer.put(batch.producerId(), batch));
        }
        hooks.revoked(identity, "truncated");
    }

    /** Appends a batch that the other leader committed meanwhile. */
    public void replicate(Batch batch) {
        synchronized (lock) {
            append(batch);
            highWatermark = endOffset;
            note();
        }
    }

    public void lead() {
        lead(leaderEpoch + 1);
    }

    void lead(int epoch) {
        if (!leading) {
            leaderEpoch = epoch;
            announcedEpoch = leaderEpoch;
            hooks.partitionLed(partitionIdentity, leaderEpoch);
            leading = true;
            hooks.reconfigured(partitionIdentity);
        }
    }

    @Override
    public void appendReplica(byte[] batch) {
        ByteBuffer fields = ByteBuffer.wrap(batch);
        if (fields.getLong(0) == endOffset && !leading) {
            store(batch, (int) fields.getLong(43), fields.getInt(53), fields.getInt(57));
        } else {
            world.violate("replicas", "a leader's batch at " + fields.getLong(0) + " comes to a log of " + endOffset);
        }
    }

    @Override
    public void restartAt(long offset) {
        world.violate("replicas", "the other copy begins at " + offset + ", behind the end of this one");
    }

    @Override
    public void advance(long leaderHighWatermark, long leaderStartOffset) {
        synchronized (lock) {
            highWatermark = Math.max(highWatermark, Math.min(leaderHighWatermark, endOffset));
            transactions.committed(highWatermark);
            note();
        }
    }

    /**
     * The broker process ended: its objects and uncommitted records are lost.
     *
     * @param committed the end of what is committed; this copy may not know it yet
     */
    void recover(long committed) {
        lost();
        truncateTo(committed);
        lead();
    }

    /** The broker process ended, and another broker may be elected. Its objects are lost. */
    void lost() {
        identity = new Object();
        partitionIdentity = new Object();
        leading = false;
    }

    /** Returns the log as the plugin reads it, in the current epoch. */
    ReadableLog readable() {
        return new LogInEpoch(this, identity, partitionIdentity, leaderEpoch);
    }

    /** Finds the batch for a reader at the offset, as a broker's index would. */
    Located locate(long offset) {
        LoggedBatch batch = at(offset);
        if (batch != null) {
            int sealed = batch.segment() == active() ? -1 : batch.segment().sizeBytes();
            return new Located(readable(), batch.segment(), batch.position(), batch.bytes().length, sealed);
        }
        if (offset != endOffset) {
            throw new RefusedException(ControlError.NOT_READABLE, "the log rolled");
        }
        return new Located(readable(), active(), active().sizeBytes(), 0, -1);
    }
}
