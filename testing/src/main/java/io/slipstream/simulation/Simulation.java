// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation;

import io.netty.resolver.DefaultAddressResolverGroup;
import io.netty.resolver.NoopAddressResolverGroup;
import io.netty.util.ResourceLeakDetector;
import io.slipstream.link.meter.Meter;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.simulation.broker.Batch;
import io.slipstream.simulation.broker.Broker;
import io.slipstream.simulation.broker.ModelLog;
import io.slipstream.simulation.broker.Partitions;
import io.slipstream.simulation.client.Proxy;
import io.slipstream.simulation.client.Sessions;
import io.slipstream.simulation.rdma.Fabric;
import io.slipstream.simulation.rdma.SimulatedProvider;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * One run: brokers, a proxy, clients and the faults of a {@link Scenario}. Afterwards, without faults, all operations
 * must complete; then everything is closed, and nothing may remain. One run at a time per JVM.
 */
public final class Simulation {
    private static final long US = 1_000;
    private static final long SLICE_NS = 500 * US;
    private static final long PATIENCE_NS = 2_000_000 * US;
    /** Longer than the period of a proxy's reports of reads. */
    private static final long REPORTED_NS = 110_000 * US;

    private static final int ELSEWHERE = 1_000_000;
    private static final int TRANSACTIONAL = 2_000_000;

    private static Simulation running;
    private static Sessions sessions;

    private final Scenario scenario;
    private final World world;
    private final Fabric fabric;
    private final Cluster cluster;
    private final Clients clients;
    private Proxy proxy;
    private int processes;
    private int elsewhere;
    private int transactional;
    private boolean killedProxy;
    private int faultsMade;
    /** Before the run and then during it: bytes of records read for one consumer and served to another. */
    private long sharedBytes;

    /** The outcome of a run; {@code violation} is null if it passed. */
    public record Outcome(
            Scenario scenario,
            Violation violation,
            long digest,
            long events,
            long virtualNs,
            long operations,
            int faults,
            int acknowledged,
            int byRdma,
            long batchesByRdma,
            long sharedBytes,
            int fetchesByRdma,
            Iterable<String> trace) {}

    private Simulation(Scenario scenario, boolean traced) {
        this.scenario = scenario;
        Descriptors.clear();
        SimulatedMemory.clear();
        SimulatedFiles.clear(scenario.preallocates());
        SimulatedProvider.clear();
        this.world = new World(scenario.seed(), traced);
        this.fabric = new Fabric(world, scenario.tornPercent(), scenario.wireFactor(), scenario.strict());
        this.cluster = new Cluster(world, fabric, scenario);
        this.clients = new Clients(world, cluster, this::livingProxy);
    }

    /** Runs the scenario. Call {@link Surroundings#install} before any class of proxy or plugin is used. */
    public static Outcome run(Scenario scenario, boolean traced) {
        Loggings.install();
        Surroundings.requireWoven();
        if (sessions == null) {
            sessions = new Sessions(new MeterRegistry(Meter.values()));
        }
        Simulation simulation = new Simulation(scenario, traced);
        simulation.sharedBytes = sessions.sharedBytes();
        running = simulation;
        Loggings.listen(simulation.world);
        VirtualTime.enter(simulation.world, simulation.fabric::actBetweenStores);
        ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
        // A killed process leaves its buffers; the detector would report them in a later world.
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
        try {
            simulation.run();
        } finally {
            ResourceLeakDetector.setLevel(level);
            VirtualTime.enter(null, null);
            Loggings.listen(null);
            // Netty keeps each connected event loop here, and with it this whole world.
            DefaultAddressResolverGroup.INSTANCE.close();
            NoopAddressResolverGroup.INSTANCE.close();
            running = null;
        }
        return simulation.outcome();
    }

    static Host startingHost() {
        return running.cluster.startingHost();
    }

    static SimulatedChannel.Listener controlListener(int node) {
        Broker broker = running.cluster.living(node);
        return broker == null ? null : broker::accept;
    }

    static PlainSocket kafkaListener(int node) {
        Broker broker = running.cluster.living(node);
        return broker == null ? null : broker.acceptClient();
    }

    private void run() {
        // Regions outlive their revocation by a lease. A READ that takes longer may break its connection, if a proxy
        // stops or if the wire is as slow as the lease is short. A READ posted just after a slot check may not.
        long momentNs = scenario.leaseMs() * 1_000_000L / 4;
        fabric.onRefused((opcode, owner, ageNs) -> {
            if (!scenario.stopsProxies() && (scenario.wireFactor() == 1 || ageNs < momentNs)) {
                world.violate("grants", opcode + " met a region of " + owner + " that is gone");
            }
        });
        fabric.lateNs(scenario.leaseMs() * 1_000_000L / 2);
        cluster.start();
        startProxy();
        clients.start(scenario);
        long calmFromNs = world.nowNs();
        for (Fault fault : scenario.faults()) {
            calmFromNs = Math.max(calmFromNs, fault.atNs() + lengthNs(fault));
            world.after(fault.atNs(), null, () -> make(fault));
        }
        world.runUntil(calmFromNs);
        cluster.calm();
        runUntilDone(calmFromNs + PATIENCE_NS);
        closeAll();
        if (world.violation() == null) {
            clients.checkLogs();
            cluster.checkReplicas();
        }
    }

    private void startProxy() {
        proxy = new Proxy(world, new Host("proxy-" + ++processes), fabric, sessions, scenario.proxy());
    }

    private Proxy livingProxy() {
        return proxy != null && proxy.host().isAlive() ? proxy : null;
    }

    private void runUntilDone(long deadlineNs) {
        while (world.violation() == null && !clients.areDone()) {
            if (world.nowNs() > deadlineNs) {
                world.violate("progress", "long after the last fault, clients still wait: " + clients.progress());
                return;
            }
            world.runUntil(world.nowNs() + SLICE_NS);
        }
    }

    // Faults.

    private static long lengthNs(Fault fault) {
        if (fault instanceof Fault.StopProxy stop) {
            return stop.forNs();
        } else if (fault instanceof Fault.StopBroker stop) {
            return stop.forNs();
        } else if (fault instanceof Fault.KillProxy kill) {
            return kill.downNs();
        } else if (fault instanceof Fault.KillBroker kill) {
            return kill.downNs();
        } else if (fault instanceof Fault.Transaction transaction) {
            return transaction.forNs();
        } else if (fault instanceof Fault.Unauthorize unauthorize) {
            return unauthorize.forNs();
        } else if (fault instanceof Fault.OnRead onRead) {
            return Fault.OnRead.MOST_WAIT_NS + lengthNs(onRead.change());
        }
        return 0;
    }

    private void make(Fault fault) {
        world.trace(() -> "FAULT " + fault);
        faultsMade++;
        if (fault instanceof Fault.BreakConnection breaks) {
            fabric.breakAfter(breaks.afterOperations());
        } else if (fault instanceof Fault.StopProxy stop) {
            stop(proxy.host(), stop.forNs());
        } else if (fault instanceof Fault.StopBroker stop) {
            stop(cluster.all().get(stop.node() - 1).broker().host(), stop.forNs());
        } else if (fault instanceof Fault.KillProxy kill) {
            killProxy(kill.downNs());
        } else if (fault instanceof Fault.KillBroker kill) {
            cluster.kill(kill.node(), kill.downNs());
        } else if (fault instanceof Fault.CutControl) {
            proxy.cutControl();
            cluster.cutControl();
        } else if (fault instanceof Fault.CloseClient close) {
            clients.disconnect(close.client());
        } else if (fault instanceof Fault.OnRead onRead) {
            await(onRead);
        } else {
            makeAtBroker(fault, -1);
        }
    }

    private void await(Fault.OnRead onRead) {
        boolean[] made = new boolean[1];
        Consumer<Object> change = owner -> {
            if (!made[0]) {
                made[0] = true;
                boolean meets = owner instanceof ModelLog && world.chance(60);
                makeAtBroker(onRead.change(), meets ? ((ModelLog) owner).partition() : -1);
            }
        };
        fabric.onRead(onRead.moment() == Fault.Moment.RECORDS_DUE, onRead.skip(), change);
        world.after(Fault.OnRead.MOST_WAIT_NS, null, () -> change.accept(null));
    }

    /** @param met the partition in place of the fault's own; -1 for none */
    private void makeAtBroker(Fault fault, int met) {
        if (fault instanceof Fault.MoveLeader move) {
            atBroker(met, move.partition(), (broker, log) -> {
                Batch batch = move.appends()
                        ? Batch.of(ELSEWHERE + elsewhere++, log.partition(), 0, 1, 40 + world.random(300))
                        : null;
                broker.moveLeadership(log, batch);
            });
        } else if (fault instanceof Fault.Elect elect) {
            atBroker(met, elect.partition(), Partitions::leadAgain);
        } else if (fault instanceof Fault.DeleteRecords delete) {
            atBroker(
                    met,
                    delete.partition(),
                    (broker, log) -> log.deleteBefore(log.highWatermark() * delete.percent() / 100));
        } else if (fault instanceof Fault.Transaction transaction) {
            atBroker(
                    met,
                    transaction.partition(),
                    (broker, log) -> broker.transact(
                            log, TRANSACTIONAL + transactional++, transaction.aborts(), transaction.forNs()));
        } else if (fault instanceof Fault.Unauthorize unauthorize) {
            String principal = Scenario.PRINCIPALS.get(unauthorize.principal());
            cluster.rights().deny(principal);
            world.after(unauthorize.forNs(), null, () -> cluster.rights().allow(principal));
        }
    }

    private void atBroker(int met, int drawn, BiConsumer<Partitions, ModelLog> change) {
        int partition = met < 0 ? drawn : met;
        Partitions broker = cluster.leading(partition);
        if (broker.isAtWork()) {
            change.accept(broker, broker.log(partition));
            broker.poke();
        }
    }

    private void stop(Host host, long forNs) {
        host.stopFrom(world.nowNs(), world.nowNs() + forNs);
    }

    private void killProxy(long downNs) {
        if (livingProxy() == null) {
            return;
        }
        killedProxy = true;
        proxy.kill();
        world.after(downNs, null, this::startProxy);
    }

    // End of the run.

    private void closeAll() {
        if (world.violation() != null) {
            return;
        }
        clients.close();
        settle();
        checkBooks();
        awaitFollowers();
        cluster.closeFollowers();
        settle();
        proxy.close();
        cluster.closeFollowerLinks();
        settle();
        cluster.closeLinks();
        settle();
        if (noLinkMayBreak() && cluster.linksBroken() > 0) {
            world.violate("links", "the plugin broke a link although nothing went wrong with it");
        }
        String residue = proxy.residue(killedProxy);
        if (residue == null) {
            residue = cluster.residue();
        }
        if (residue == null && world.violation() == null && sessions.openGauges() != 0 && !killedProxy) {
            residue = "gauges of the proxy do not return to 0";
        }
        if (residue != null && world.violation() == null) {
            world.violate("residue", residue);
        }
        proxy.release();
        cluster.close();
        sharedBytes = sessions.sharedBytes() - sharedBytes;
        if (killedProxy || world.violation() != null) {
            dropSessions();
        }
    }

    /** Without clients, the pauses of replication cost few events. */
    private void awaitFollowers() {
        long deadlineNs = world.nowNs() + 2 * PATIENCE_NS;
        while (world.violation() == null && !cluster.areFollowersWell()) {
            if (world.nowNs() > deadlineNs) {
                world.violate("progress", "long after the last fault, a follower fetches over TCP");
                return;
            }
            world.runUntil(world.nowNs() + SLICE_NS);
        }
    }

    /**
     * On a slow wire, a READ longer than its lease can hit the released region of a deleted segment and break its
     * connection.
     */
    private boolean noLinkMayBreak() {
        return scenario.faults().isEmpty()
                || scenario.wireFactor() == 1 && scenario.faults().stream().allMatch(Fault.OfTheLog.class::isInstance);
    }

    private void checkBooks() {
        if (scenario.quotaBytes() > 0 && !mayLoseReports()) {
            world.runUntil(world.nowNs() + REPORTED_NS);
            String wrong = cluster.faultOfBooks();
            if (wrong != null) {
                world.violate("quotas", wrong);
            }
        }
    }

    /** A link that breaks takes with it what was read and not reported yet. */
    private boolean mayLoseReports() {
        return scenario.wireFactor() > 1
                || !scenario.faults().stream()
                        .allMatch(fault -> fault instanceof Fault.OfTheLog || fault instanceof Fault.CloseClient);
    }

    /** Counts of a killed proxy never return to 0. */
    private static void dropSessions() {
        sessions.forget();
        sessions = null;
    }

    private void settle() {
        world.runUntil(world.nowNs() + 3L * scenario.leaseMs() * 1_000_000);
    }

    private Outcome outcome() {
        if (world.violation() != null && sessions != null) {
            dropSessions();
        }
        return new Outcome(
                scenario,
                world.violation(),
                world.digest(),
                world.handled(),
                world.nowNs(),
                fabric.operations(),
                faultsMade,
                clients.acknowledged(),
                clients.byRdma(),
                clients.batchesByRdma(),
                sharedBytes,
                cluster.fetchesByRdma(),
                world.traced());
    }
}
