// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.broker;

import io.slipstream.simulation.World;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The partitions with two copies, and the controller's elections among them. */
public final class Replicas {
    private static final int FIRST_CONNECTION = 1 << 24;
    private static final long LOOK_NS = 2_000_000;

    private final World world;
    private final Map<Integer, ReplicatedPartition> partitions = new HashMap<>();
    private final List<Partitions> brokers;
    private boolean calm;
    private int connections = FIRST_CONNECTION;

    /** @param brokers by node, from 1 */
    public Replicas(World world, List<Partitions> brokers) {
        this.world = world;
        this.brokers = brokers;
    }

    /** The partitions of this broker have a second copy at the other one. */
    public void add(Partitions home, Partitions other) {
        for (ModelLog log : home.logs()) {
            partitions.put(
                    log.partition(), new ReplicatedPartition(world, log, home.node(), other.node(), home::onCommitted));
        }
        look();
    }

    private void look() {
        world.after(LOOK_NS, null, () -> {
            partitions.values().stream()
                    .filter(each -> broker(each.leader()).isAtWork())
                    .forEach(ReplicatedPartition::look);
            look();
        });
    }

    public Collection<ReplicatedPartition> all() {
        return partitions.values();
    }

    Map<Integer, ReplicatedPartition> byNumber() {
        return partitions;
    }

    private Partitions broker(int node) {
        return brokers.get(node - 1);
    }

    /** Returns the number of a follower's new connection. */
    public int newConnection() {
        return connections++;
    }

    /** From now on, connections are not lost by chance. */
    public void calm() {
        calm = true;
    }

    /** Returns whether a follower's connection is lost by chance. */
    public boolean losesByChance(int oneIn) {
        return !calm && world.random(oneIn) == 0;
    }

    static boolean isOfFollower(int connection) {
        return connection >= FIRST_CONNECTION;
    }

    boolean has(ModelLog log) {
        return partitions.containsKey(log.partition());
    }

    /** The leader's log has grown, or its epoch is another one. */
    void changed(ModelLog log) {
        changed(partitions.get(log.partition()));
    }

    private void changed(ReplicatedPartition partition) {
        partition.advance();
        brokers.forEach(each -> each.broker().fetches().changed());
    }

    /** The other broker is elected for a while, and appends the batch. */
    void move(ModelLog log, Batch batch) {
        ReplicatedPartition partition = partitions.get(log.partition());
        Partitions other = broker(partition.follower());
        if (!log.isLeading() || !partition.isInSync() || !other.isAtWork()) {
            return;
        }
        log.loseLeadership(false);
        failOver(partition, true);
        if (batch != null) {
            world.after(world.random(400_000), other.broker().host(), () -> {
                if (partition.isLedBy(other.node())) {
                    partition.other().append(batch, partition.epoch());
                    changed(partition);
                }
            });
        }
    }

    private void failOver(ReplicatedPartition partition, boolean formerLives) {
        partition.failOver(formerLives);
        brokers.forEach(Partitions::onCommitted);
        changed(partition);
        if (partition.leader() != partition.homeNode()) {
            comeHome(partition);
        }
    }

    /** Elects the preferred leader as soon as it is in sync. */
    private void comeHome(ReplicatedPartition partition) {
        world.after(300_000 + world.random(1_500_000), null, () -> {
            int home = partition.homeNode();
            if (partition.leader() != home
                    && partition.isInSync()
                    && broker(home).isAtWork()) {
                failOver(partition, broker(partition.leader()).isAtWork());
            } else if (partition.leader() != home) {
                comeHome(partition);
            }
        });
    }

    /** The broker process ended: often the follower is elected, if it is in sync. */
    void crashed(Partitions broker) {
        int node = broker.node();
        broker.logs().stream().filter(this::has).forEach(ModelLog::lost);
        for (ReplicatedPartition each : partitions.values()) {
            int epoch = each.epoch();
            if (each.leader() == node && world.chance(70)) {
                world.after(20_000 + world.random(300_000), null, () -> {
                    boolean isSame = each.leader() == node && each.epoch() == epoch;
                    if (isSame && each.isInSync() && broker(each.follower()).isAtWork()) {
                        failOver(each, false);
                    }
                });
            }
        }
    }

    /** The broker process started again. */
    void started(int node) {
        for (ReplicatedPartition each : partitions.values()) {
            if (each.leader() == node && (node != each.homeNode() || !each.isLedBy(node))) {
                each.leadAgain();
            }
        }
    }

    /** Returns whether all followers have everything of the brokers at home. */
    boolean areSettled(Partitions home) {
        return home.logs().stream()
                .filter(this::has)
                .allMatch(log -> partitions.get(log.partition()).isSettled());
    }

    /** Checks the copies at the end. */
    public void check() {
        partitions.values().forEach(ReplicatedPartition::checkCopies);
    }
}
