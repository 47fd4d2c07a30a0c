// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation;

import io.slipstream.broker.config.ControlConfig;
import io.slipstream.broker.config.Exclusions;
import io.slipstream.broker.config.PluginConfig;
import io.slipstream.rdma.DeviceConfig;
import io.slipstream.simulation.broker.Broker;
import io.slipstream.simulation.broker.ModelLog;
import io.slipstream.simulation.broker.Partitions;
import io.slipstream.simulation.broker.Replicas;
import io.slipstream.simulation.broker.Rights;
import io.slipstream.simulation.follower.Follower;
import io.slipstream.simulation.rdma.Fabric;
import io.slipstream.simulation.rdma.SimulatedProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The brokers of a world. Each leads partitions of its own, with consecutive numbers. */
final class Cluster {
    private final World world;
    private final Fabric fabric;
    private final PluginConfig config;
    private final int partitionsPerBroker;
    private final List<Partitions> brokers = new ArrayList<>();
    private final Rights rights;
    private final Replicas replicas;
    private final int replyRingBytes;
    private final boolean breaksLinks;
    /** By node, from 1; empty without second copies. */
    private final Map<Integer, Follower> followers = new HashMap<>();

    private int fetchesByRdma;
    private Host startingHost;
    private int processes;

    Cluster(World world, Fabric fabric, Scenario scenario) {
        this.world = world;
        this.fabric = fabric;
        this.config = config(scenario);
        this.partitionsPerBroker = scenario.partitions();
        this.rights = new Rights(world);
        this.replicas = new Replicas(world, brokers);
        this.replyRingBytes = scenario.proxy().replyRingBytes();
        this.breaksLinks = scenario.breaksLinks();
        for (int i = 0; i < scenario.brokers(); i++) {
            Partitions partitions = new Partitions(
                    world,
                    rights,
                    i + 1,
                    i * partitionsPerBroker,
                    partitionsPerBroker,
                    scenario.segmentBytes(),
                    scenario.quotaBytes());
            partitions.throttlePercent(scenario.throttlePercent());
            partitions.handlerNs(scenario.handlerNs());
            if (scenario.excludesAPartition()) {
                partitions.exclude(i * partitionsPerBroker);
            }
            partitions.replicas(replicas);
            brokers.add(partitions);
        }
        if (scenario.isReplicated()) {
            replicas.add(brokers.get(0), brokers.get(1));
        }
    }

    private static PluginConfig config(Scenario scenario) {
        return new PluginConfig(
                true,
                Path.of("/sim"),
                SimulatedProvider.NAME,
                DeviceConfig.DEFAULT,
                null,
                ControlConfig.DEFAULT,
                0,
                1,
                scenario.requestRingBytes(),
                scenario.brokerCredits(),
                8,
                8,
                64,
                0,
                scenario.slots(),
                scenario.leaseMs(),
                scenario.registeredBytes(),
                scenario.windowBytes(),
                false,
                null,
                Exclusions.NONE);
    }

    Rights rights() {
        return rights;
    }

    List<Partitions> all() {
        return brokers;
    }

    /** Returns the broker that leads the partition. */
    Partitions leading(int partition) {
        return brokers.get(partition / partitionsPerBroker);
    }

    ModelLog log(int partition) {
        return leading(partition).log(partition);
    }

    Host startingHost() {
        return startingHost;
    }

    void start() {
        brokers.forEach(this::start);
    }

    private void start(Partitions partitions) {
        Host host = new Host("broker-" + partitions.node() + "." + ++processes);
        startingHost = host;
        try {
            new Broker(world, host, fabric, partitions, config);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (!replicas.all().isEmpty()) {
            int node = partitions.node();
            Partitions other = brokers.get(brokers.size() - node);
            followers.put(node, new Follower(world, host, fabric, node, other, replicas, replyRingBytes, breaksLinks));
        }
    }

    /** Returns the process of that node if it lives, else null. */
    Broker living(int node) {
        Broker broker = brokers.get(node - 1).broker();
        return broker != null && broker.host().isAlive() ? broker : null;
    }

    /** SIGKILL; another process starts later. */
    void kill(int node, long downNs) {
        Broker broker = living(node);
        if (broker != null) {
            Partitions partitions = brokers.get(node - 1);
            broker.kill();
            Follower follower = followers.get(node);
            if (follower != null) {
                fetchesByRdma += follower.byRdma();
                follower.kill();
            }
            partitions.crashed();
            world.after(downNs, null, () -> start(partitions));
        }
    }

    /** The control connections of followers end. */
    void cutControl() {
        followers.values().forEach(Follower::cutControl);
    }

    /** From now on, connections of followers are not lost by chance. */
    void calm() {
        replicas.calm();
    }

    /** Returns whether each follower fetches by RDMA, or follows nothing. */
    boolean areFollowersWell() {
        return followers.values().stream().allMatch(Follower::isWell);
    }

    /** Returns the number of fetches of followers that RDMA has carried. */
    int fetchesByRdma() {
        return fetchesByRdma
                + followers.values().stream().mapToInt(Follower::byRdma).sum();
    }

    void closeFollowers() {
        followers.values().forEach(Follower::close);
    }

    /** Call after {@link #closeFollowers}, when all is quiet. */
    void closeFollowerLinks() {
        followers.values().forEach(Follower::closeLink);
    }

    void checkReplicas() {
        replicas.check();
    }

    void closeLinks() {
        brokers.forEach(partitions -> partitions.broker().closeLinks());
    }

    long linksBroken() {
        return brokers.stream()
                .mapToLong(partitions -> partitions.broker().linksBroken())
                .sum();
    }

    /** Returns a description of what is left after closing; null if there is nothing. */
    String residue() {
        return Stream.concat(
                        followers.values().stream().map(Follower::residue),
                        brokers.stream().map(partitions -> partitions.broker().residue()))
                .filter(residue -> residue != null)
                .findFirst()
                .orElse(null);
    }

    /** Returns what is wrong with the quotas; null if nothing is. */
    String faultOfBooks() {
        return brokers.stream()
                .map(partitions -> partitions.books().fault())
                .filter(fault -> fault != null)
                .findFirst()
                .orElse(null);
    }

    void close() {
        followers.values().forEach(Follower::release);
        brokers.forEach(partitions -> partitions.broker().close());
    }
}
