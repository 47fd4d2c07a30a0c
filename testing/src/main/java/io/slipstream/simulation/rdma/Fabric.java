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
import java.util.function.Consumer;

/** The network between the devices of a world, and its faults. */
public final class Fabric {
    final World world;
    final Map<String, SimulatedListener> listeners = new HashMap<>();
    /** Operations in flight, unordered. */
    private final List<SimulatedQueuePair> active = new ArrayList<>();
    /** Percentage of messages delivered in pieces. */
    private final int tornPercent;

    private final int wireFactor;
    /** Whether domains pin files and require registered local memory, as devices do. */
    final boolean strict;

    private Refusal onRefused = (opcode, owner, ageNs) -> {};
    private final List<Watch> watches = new ArrayList<>();
    private int breakAfter = Integer.MAX_VALUE;
    private long lateNs = 1;
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

    /** Makes the operation after this many others fail and break its connection. */
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

    /** Returns the number of messages carried. */
    public long operations() {
        return operations;
    }

    /** A change of the world that waits for a READ. */
    private static final class Watch {
        final boolean ofRecords;
        final Consumer<Object> action;
        int skip;

        Watch(boolean ofRecords, int skip, Consumer<Object> action) {
            this.ofRecords = ofRecords;
            this.skip = skip;
            this.action = action;
        }
    }

    /**
     * Waits for a READ: of a file, just before it, or of other memory, just after it.
     *
     * @param skip READs of that kind to let pass
     * @param action receives the file's owner, null for other memory
     */
    public void onRead(boolean ofRecords, int skip, Consumer<Object> action) {
        watches.add(new Watch(ofRecords, skip, action));
    }

    /** Returns whether a change was waiting for this READ. */
    boolean reads(boolean ofRecords, Object owner) {
        boolean met = false;
        for (int i = 0; i < watches.size(); i++) {
            Watch watch = watches.get(i);
            if (watch.ofRecords == ofRecords && watch.skip-- == 0) {
                watches.remove(i--);
                watch.action.accept(owner);
                met = true;
            }
        }
        return met;
    }

    /** Makes a message that meets changes arrive late, by that time after its post at most. */
    public void lateNs(long mostNs) {
        lateNs = mostNs;
    }

    /** Returns how much later such a message of that age arrives. */
    long latenessNs(long ageNs) {
        return world.chance(30) && ageNs < lateNs ? world.random((int) (lateNs - ageNs)) : 0;
    }

    /** A region of a living host refused a request, which a correct reader or writer never causes in time. */
    public interface Refusal {
        /** @param ageNs age of the request since its post */
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

    /** Increases in steps that nobody can guess. */
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

    /** Returns the time between two pieces of a message: mostly short, sometimes long enough for others to act. */
    long pieceNs() {
        return 1L + world.random(world.random(8) == 0 ? 30_000 : 2_000);
    }

    void started(SimulatedQueuePair queuePair) {
        active.add(queuePair);
    }

    void finished(SimulatedQueuePair queuePair) {
        active.remove(queuePair);
    }

    /** A CPU is between two of its stores; devices continue to copy. */
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
