// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.broker;

import io.slipstream.simulation.World;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A partition with two copies. It has what the controller knows, the leader and the in-sync replicas, and what the
 * leader knows of its follower. The copy at home is the one that clients read; the other broker leads for a while only.
 */
public final class ReplicatedPartition {
    /** After this time, a follower that has not caught up leaves the in-sync replicas. */
    private static final long LAG_NS = 10_000_000;

    private final World world;
    private final ModelLog home;
    private final int homeNode;
    private final ReplicaLog other;
    private final int otherNode;
    private final Runnable onCommitted;
    private final List<Runnable> onElected = new ArrayList<>();
    private int leader;
    /** Of the other broker, while it leads. */
    private int otherEpoch;
    /** Whether the follower is in sync. */
    private boolean inSync = true;
    /** The position that the follower has told, and the epoch in which it told it. */
    private long toldOffset;

    private int toldEpoch = -1;
    private long caughtUpAtNs;

    /** @param onCommitted runs when the high watermark of the copy at home has moved */
    ReplicatedPartition(World world, ModelLog home, int homeNode, int otherNode, Runnable onCommitted) {
        this.world = world;
        this.home = home;
        this.homeNode = homeNode;
        this.other = new ReplicaLog(world);
        this.otherNode = otherNode;
        this.onCommitted = onCommitted;
        this.leader = homeNode;
    }

    /** The listener runs after each election. */
    public void onElected(Runnable listener) {
        onElected.add(listener);
    }

    public int partition() {
        return home.partition();
    }

    public int epoch() {
        return leader == homeNode ? home.leaderEpoch() : otherEpoch;
    }

    public int leader() {
        return leader;
    }

    int homeNode() {
        return homeNode;
    }

    public int follower() {
        return leader == homeNode ? otherNode : homeNode;
    }

    public PartitionCopy copyAt(int node) {
        return node == homeNode ? home : other;
    }

    public PartitionCopy leaderCopy() {
        return copyAt(leader);
    }

    boolean isInSync() {
        return inSync;
    }

    ReplicaLog other() {
        return other;
    }

    boolean isLedBy(int node) {
        return leader == node && (node != homeNode || home.isLeading());
    }

    /** The leader got a Fetch of its follower, which has everything below this offset. */
    void fetched(long offset) {
        PartitionCopy log = leaderCopy();
        toldOffset = offset;
        toldEpoch = epoch();
        if (offset >= log.endOffset()) {
            caughtUpAtNs = world.nowNs();
        }
        if (!inSync && offset >= log.highWatermark()) {
            inSync = true;
            caughtUpAtNs = world.nowNs();
        }
        advance();
    }

    /** The leader looks whether its follower lags. */
    void look() {
        if (inSync && (toldEpoch != epoch() || toldOffset < leaderCopy().endOffset())) {
            if (world.nowNs() - caughtUpAtNs > LAG_NS) {
                world.trace(() -> "partition " + partition() + ": the follower leaves the in-sync replicas");
                inSync = false;
                advance();
            }
        } else {
            caughtUpAtNs = world.nowNs();
        }
    }

    /** The high watermark is the lowest end of the in-sync replicas, as far as the leader knows them. */
    void advance() {
        PartitionCopy log = leaderCopy();
        long next = log.endOffset();
        if (inSync) {
            next = toldEpoch == epoch() ? Math.min(next, toldOffset) : log.highWatermark();
            if (next > copyAt(follower()).endOffset()) {
                world.violate("replicas", "the high watermark " + next + " is beyond the end of an in-sync replica");
            }
        }
        if (next <= log.highWatermark()) {
            return;
        }
        if (leader == homeNode) {
            home.commit(next);
            onCommitted.run();
        } else {
            other.advance(next, 0);
        }
    }

    /** The controller elects the follower. The former leader stays in sync if it lives. */
    void failOver(boolean formerLives) {
        int former = leader;
        if (leader == homeNode) {
            otherEpoch = home.leaderEpoch() + 1;
            home.announce();
            leader = otherNode;
        } else {
            leader = homeNode;
            home.lead(otherEpoch + 1);
        }
        inSync = formerLives;
        elected("instead of " + former);
    }

    /** The leader's process has started again, and nobody else was elected. */
    void leadAgain() {
        if (leader == homeNode) {
            home.recover(Math.max(home.highWatermark(), other.highWatermark()));
        } else {
            otherEpoch++;
        }
        elected("again");
    }

    private void elected(String how) {
        world.trace(() -> "partition " + partition() + ": broker " + leader + " leads " + how + " in epoch " + epoch());
        caughtUpAtNs = world.nowNs();
        onElected.forEach(Runnable::run);
        advance();
    }

    /** Returns whether the broker at home leads, and the follower has everything. */
    boolean isSettled() {
        return leader == homeNode && inSync && toldEpoch == epoch() && toldOffset == home.endOffset();
    }

    /** Checks that both copies have the same bytes up to the lower high watermark. */
    void checkCopies() {
        long end = Math.min(home.highWatermark(), other.highWatermark());
        long start = Math.max(home.logStartOffset(), other.logStartOffset());
        for (int i = home.indexOf(start), j = other.indexOf(start);
                i < home.batches().size();
                i++, j++) {
            LoggedBatch batch = home.batches().get(i);
            if (batch.lastOffset() >= end) {
                return;
            }
            if (j >= other.batches().size()
                    || !Arrays.equals(batch.bytes(), other.batches().get(j).bytes())) {
                world.violate(
                        "replicas", "the copies of partition " + partition() + " differ at " + batch.baseOffset());
                return;
            }
        }
    }
}
