// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import io.slipstream.faults.schedule.FaultClass;
import io.slipstream.faults.schedule.Schedule;
import io.slipstream.planted.PlantingJar;
import io.slipstream.process.BrokerCluster;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.ProxyProcess;
import io.slipstream.process.TempDirectory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * The processes of one run in one arm, new for each run: brokers, proxies, and a relay for the control connection
 * between each proxy and each plugin. In {@link Arm#DIRECT} the brokers have no plugin and there are no proxies.
 */
final class Deployment implements AutoCloseable {
    private static final int SMALL_DISK_MIB = 768;
    /** Another loopback address for relays in front of proxies. */
    private static final String FRONT = "127.0.0.2";

    private final TempDirectory directory = TempDirectory.create("ss-f");
    private final List<Guarded<BrokerProcess>> brokers = new ArrayList<>();
    private final List<Guarded<ProxyProcess>> proxies = new ArrayList<>();
    private final List<SmallFileSystem> disks = new ArrayList<>();
    private final List<FakeClock> clocks = new ArrayList<>();
    private final List<List<Relay>> controlRelays = new ArrayList<>();
    private final List<List<Relay>> clientRelays = new ArrayList<>();
    private final ProcessBug planted;
    private BrokerCluster cluster;

    private Deployment(ProcessBug planted) {
        this.planted = planted;
    }

    /**
     * Returns when all processes serve.
     *
     * @param planted the bug in proxies or brokers; null for none
     */
    static Deployment start(Schedule schedule, Arm arm, Machine machine, ProcessBug planted) {
        Deployment deployment = new Deployment(planted);
        try {
            deployment.startBrokers(schedule, arm, machine);
            for (int i = 0; arm.hasProxies() && i < schedule.topology().proxies(); i++) {
                deployment.startProxy(i, arm, machine);
            }
            return deployment;
        } catch (RuntimeException failure) {
            deployment.close();
            throw failure;
        }
    }

    private void startBrokers(Schedule schedule, Arm arm, Machine machine) {
        boolean smallDisks =
                schedule.has(FaultClass.DISK_FULL) && !machine.obstacles().containsKey(FaultClass.DISK_FULL);
        boolean ownClocks =
                schedule.has(FaultClass.CLOCK_JUMP) && !machine.obstacles().containsKey(FaultClass.CLOCK_JUMP);
        List<Path> homes = new ArrayList<>();
        cluster = BrokerCluster.start(BrokerLine.NEWEST, schedule.topology().brokers(), builder -> {
            Path home = directory.directory("b" + (homes.size() + 1));
            homes.add(home);
            builder.directory(home);
            BrokerKeys.all(schedule.topology()).forEach(builder::property);
            if (smallDisks) {
                disks.add(SmallFileSystem.mount(home.resolve("data"), SMALL_DISK_MIB));
                // Only the topics' logs run out of space; the quorum's log is elsewhere.
                builder.property("metadata.log.dir", home.resolve("metadata").toString());
            }
            if (ownClocks) {
                FakeClock clock = new FakeClock(home);
                clocks.add(clock);
                builder.environment(clock.environment());
            }
            if (arm.hasProxies()) {
                BrokerKeys.ofPlugin(arm).forEach(builder::property);
                // On fewer, the links of a broker share a handler thread.
                builder.withAgent().jvmArgument("-XX:ActiveProcessorCount=4");
            }
            if (planted != null && !planted.inProxy()) {
                builder.jvmArgument(PlantingJar.jvmArgument(planted.name()));
            }
            return builder;
        });
        for (BrokerProcess broker : cluster.brokers()) {
            brokers.add(new Guarded<>("broker-" + broker.nodeId(), broker));
        }
    }

    private void startProxy(int index, Arm arm, Machine machine) {
        Path sockets = directory.directory("s" + index);
        List<Relay> relays = new ArrayList<>();
        for (BrokerProcess broker : cluster.brokers()) {
            relays.add(
                    Relay.betweenSockets(sockets.resolve(broker.pluginSocket().getFileName()), broker.pluginSocket()));
        }
        controlRelays.add(relays);
        ProxyProcess.Builder builder = ProxyProcess.builder(cluster.bootstrapServers())
                .directory(directory.directory("p" + index))
                .property(ProxyProcess.SLIPSTREAM_DIRECTORY, sockets.toString())
                .property("metadata.refresh.ms", "1000");
        if (arm == Arm.TCP) {
            builder.withoutRdma();
        }
        if (planted != null && planted.inProxy()) {
            builder.jvmArgument(PlantingJar.jvmArgument(planted.name()));
        }
        boolean relayed = machine.cannotReset().isPresent();
        if (relayed) {
            builder.property("advertised.host", FRONT);
        }
        ProxyProcess proxy = builder.start();
        proxies.add(new Guarded<>("proxy-" + (index + 1), proxy));
        clientRelays.add(
                relayed
                        ? ports(proxy).stream()
                                .map(port -> Relay.ofPort(FRONT, port))
                                .toList()
                        : List.of());
    }

    /** Returns the bootstrap port and the port of each broker. */
    List<Integer> ports(ProxyProcess proxy) {
        return IntStream.rangeClosed(0, brokers.size())
                .mapToObj(i -> proxy.port() + i)
                .toList();
    }

    /** Returns the brokers' own addresses, for administration. */
    String directBootstrap() {
        return cluster.bootstrapServers();
    }

    /** Returns the bootstrap addresses for clients, assigned in turn. */
    List<String> clientBootstraps() {
        return proxies.isEmpty()
                ? List.of(directBootstrap())
                : IntStream.range(0, proxies.size())
                        .mapToObj(this::clientBootstrap)
                        .toList();
    }

    private String clientBootstrap(int proxy) {
        ProxyProcess process = proxies.get(proxy).peek();
        return clientRelays.get(proxy).isEmpty() ? process.bootstrapServers() : FRONT + ":" + process.port();
    }

    String clusterId() {
        return brokers.get(0).peek().clusterId();
    }

    List<Guarded<BrokerProcess>> brokers() {
        return brokers;
    }

    List<Guarded<ProxyProcess>> proxies() {
        return proxies;
    }

    /** By process name. */
    Map<String, Path> logs() {
        Map<String, Path> logs = new TreeMap<>();
        brokers.forEach(broker -> logs.put(broker.toString(), broker.peek().log()));
        proxies.forEach(proxy -> logs.put(proxy.toString(), proxy.peek().log()));
        return logs;
    }

    SmallFileSystem disk(int broker) {
        return disks.get(broker);
    }

    FakeClock clock(int broker) {
        return clocks.get(broker);
    }

    /** Returns the relays between clients and a proxy; none if the kernel can reset connections. */
    List<Relay> clientRelays(int proxy) {
        return clientRelays.get(proxy);
    }

    List<Relay> controlRelays(int proxy) {
        return controlRelays.get(proxy);
    }

    /** Starts dead processes and returns their names. */
    List<String> revive() {
        List<String> dead = new ArrayList<>();
        for (Guarded<BrokerProcess> broker : brokers) {
            broker.exclusively(process -> {
                if (!process.isAlive()) {
                    dead.add(broker.toString());
                    Guarded.restart(process::restart);
                }
            });
        }
        for (Guarded<ProxyProcess> proxy : proxies) {
            proxy.exclusively(process -> {
                if (!process.isAlive()) {
                    dead.add(proxy.toString());
                    Guarded.restart(process::restart);
                }
            });
        }
        return dead;
    }

    @Override
    public void close() {
        List<AutoCloseable> all = new ArrayList<>();
        proxies.forEach(proxy -> all.add(proxy.peek()));
        controlRelays.forEach(all::addAll);
        clientRelays.forEach(all::addAll);
        if (cluster != null) {
            all.add(cluster);
        }
        all.addAll(disks);
        all.add(directory);
        RuntimeException failure = null;
        for (AutoCloseable each : all) {
            try {
                each.close();
            } catch (Exception e) {
                failure = failure == null ? new FaultFailure("cannot end the run: " + e.getMessage(), e) : failure;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
