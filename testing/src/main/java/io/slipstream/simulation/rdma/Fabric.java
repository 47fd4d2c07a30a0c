// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.rdma;

import io.slipstream.rdma.Opcode;
import io.slipstream.simulation.Delays;
import io.slipstream.simulation.Host;
import io.slipstream.simulation.World;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The network between the devices of a world, and what goes wrong in it. */
public final class Fabric {
    final World world;
    final Map<String, SimulatedListener> listeners = new HashMap<>();
    /** Operations under way, in no order. */
    private final List<SimulatedQueuePair> active = new ArrayList<>();
    /** Per cent of messages that are delivered in pieces. */
    private final int tornPercent;

    private final int wireFactor;
    /** Whether domains pin files and demand registered local memory, as devices do. */
    final boolean strict;

    private Refusal onRefused = (opcode, owner, ageNs) -> {};
    private int breakAfter = Integer.MAX_VALUE;
    private int nextKey;
    private int nextNumber = 1;
    private long operations;

    public Fabric(World world, int tornPercent, int wireFactor, boolean strict) {
        this.wireFactor = wireFactor;
        this.world = world;
        this.tornPercent = tornPercent;
        this.strict = strict;
        this.nextKey = 0x1000 + world.random(1 << 20);
    }

    /** The operation after that many others fails and breaks its connection. */
    public void breakAfter(int operationCount) {
        breakAfter = operationCount;
    }

    boolean breaksNow() {
        operations++;
        return breakAfter != Integer.MAX_VALUE && breakAfter-- <= 0 && takeBreak();
    }

    private boolean takeBreak() {
        breakAfter = Integer.MAX_VALUE;
        return true;
    }

    /** Messages carried so far. */
    public long operations() {
        return operations;
    }

    /** A region of a living host refused a request, which no correct reader or writer causes in time. */
    public interface Refusal {
        /** @param ageNs of the request, from its post on */
        void refused(Opcode opcode, Host owner, long ageNs);
    }

    /** A peer's region refused a request. */
    void refused(Operation operation, Host owner) {
        onRefused.refused(operation.opcode, owner, world.nowNs() - operation.postedNs);
    }

    public void onRefused(Refusal told) {
        onRefused = told;
    }

    boolean isTorn() {
        return world.chance(tornPercent);
    }

    /** In steps that are never guessed from one another. */
    int newKey() {
        nextKey += 1 + world.random(7);
        return nextKey;
    }

    int newNumber() {
        return nextNumber++;
    }

    long delayNs() {
        return Delays.wire(world) * wireFactor;
    }

    void started(SimulatedQueuePair queuePair) {
        active.add(queuePair);
    }

    void finished(SimulatedQueuePair queuePair) {
        active.remove(queuePair);
    }

    /** A processor is between two of its stores: the devices go on copying. */
    public void actBetweenStores() {
        if (active.isEmpty() || tornPercent == 0) {
            return;
        }
        SimulatedQueuePair any = active.get(world.random(active.size()));
        for (int pieces = world.random(4); pieces > 0; pieces--) {
            if (!any.movePiece()) {
                return;
            }
        }
    }
}
