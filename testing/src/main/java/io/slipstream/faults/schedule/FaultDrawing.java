// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.schedule;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;

/** Draws faults that fit a topology, by weight, with targets and durations. */
final class FaultDrawing {
    private static final long HOUR_S = 3_600;

    private final SplittableRandom random;
    private final Topology topology;
    private final List<FaultClass> urn = new ArrayList<>();

    /** @param classes the classes to draw from; at least one fits the topology */
    FaultDrawing(SplittableRandom random, Topology topology, Set<FaultClass> classes) {
        this.random = random;
        this.topology = topology;
        for (FaultClass faultClass : new TreeSet<>(classes)) {
            for (int i = 0; faultClass.fits(topology) && i < faultClass.weight(); i++) {
                urn.add(faultClass);
            }
        }
    }

    Fault next() {
        FaultClass drawn = urn.get(random.nextInt(urn.size()));
        return switch (drawn) {
            case PROXY_KILL -> new Fault.Kill(Role.PROXY, proxy(), spread(10, 500));
            case BROKER_KILL -> new Fault.Kill(Role.BROKER, broker(), spread(10, 1_000));
            // From far below a lease of one second to beyond leases and the sessions of clients and brokers.
            case PROXY_PAUSE -> new Fault.Pause(Role.PROXY, proxy(), spread(100, 7_000));
            case BROKER_PAUSE -> new Fault.Pause(Role.BROKER, broker(), spread(100, 7_000));
            case CLIENT_CUT -> new Fault.ConnectionCut(Fault.Leg.CLIENT_TO_PROXY, proxy(), times(), spread(50, 800));
            case UPSTREAM_CUT -> new Fault.ConnectionCut(Fault.Leg.PROXY_TO_BROKER, proxy(), times(), spread(50, 800));
            case LINK_LOSS -> new Fault.LinkLoss(proxy(), times(), spread(50, 800));
            case ISR_SHRINK -> new Fault.FollowerStop(broker(), spread(100, 2_000));
            case BROKER_RESTART -> new Fault.Restart(broker(), spread(1, 100));
            case DISK_FULL -> new Fault.DiskFull(broker(), spread(300, 1_500));
            case MEMLOCK_LIMIT -> limit(Fault.Resource.LOCKED_MEMORY);
            case DESCRIPTOR_LIMIT -> limit(Fault.Resource.DESCRIPTORS);
            case CLOCK_JUMP ->
                new Fault.ClockJump(broker(), random.nextBoolean() ? HOUR_S : -HOUR_S, spread(500, 2_000));
            case SEGMENT_ROLL, RETENTION, DELETE_RECORDS, TOPIC_RECREATE, LEADER_ELECTION, REASSIGNMENT ->
                new Fault.Administration(drawn, random.nextInt(1, 6), spread(300, 2_000));
        };
    }

    private Fault limit(Fault.Resource resource) {
        Role role = random.nextBoolean() ? Role.PROXY : Role.BROKER;
        return new Fault.Limit(resource, role, random.nextInt(topology.count(role)), spread(300, 2_000));
    }

    private int proxy() {
        return random.nextInt(topology.proxies());
    }

    private int broker() {
        return random.nextInt(topology.brokers());
    }

    private int times() {
        return random.nextInt(1, 5);
    }

    /** Uniform in the logarithm, so that short and long durations are equally frequent. */
    private long spread(long lowestMs, long highestMs) {
        return Math.round(lowestMs * Math.pow((double) highestMs / lowestMs, random.nextDouble()));
    }
}
