// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation;

import io.slipstream.broker.config.ControlConfig;
import io.slipstream.broker.config.Exclusions;
import io.slipstream.broker.config.PluginConfig;
import io.slipstream.rdma.DeviceConfig;
import io.slipstream.simulation.broker.Broker;
import io.slipstream.simulation.broker.ModelLog;
import io.slipstream.simulation.broker.Partitions;
import io.slipstream.simulation.broker.Rights;
import io.slipstream.simulation.rdma.Fabric;
import io.slipstream.simulation.rdma.SimulatedProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The brokers of a world. Each leads partitions of its own, with consecutive numbers. */
final class Cluster {
    private final World world;
    private final Fabric fabric;
    private final PluginConfig config;
    private final int partitionsPerBroker;
    private final List<Partitions> brokers = new ArrayList<>();
    private final Rights rights;
    private Host startingHost;
    private int processes;

    Cluster(World world, Fabric fabric, Scenario scenario) {
        this.world = world;
        this.fabric = fabric;
        this.config = config(scenario);
        this.partitionsPerBroker = scenario.partitions();
        this.rights = new Rights(world);
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
            brokers.add(partitions);
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
            partitions.crashed();
            world.after(downNs, null, () -> start(partitions));
        }
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
        return brokers.stream()
                .map(partitions -> partitions.broker().residue())
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
        brokers.forEach(partitions -> partitions.broker().close());
    }
}
