package io.slipstream.broker.landing;

import io.slipstream.protocol.ring.LandedBatches;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.ProtectionDomain;
import io.slipstream.rdma.QueuePair;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** The landings of one link by their ids. Written by the landing thread, read by the link's owner. */
public final class LinkLandings {
    /** So that an id, of 30 bits, is not another's soon. */
    private static final int MOST_USES = (1 << 24) - 1;

    private final ProtectionDomain domain;
    private final QueuePair queuePair;
    private final AtomicReferenceArray<Landing> byId = new AtomicReferenceArray<>(LandedBatches.MOST_LANDINGS);
    private final CompletableFuture<Void> freed = new CompletableFuture<>();
    private volatile boolean closed;
    private boolean stuck;
    private int uses;
    private int live;

    public LinkLandings(ProtectionDomain domain, QueuePair queuePair) {
        this.domain = domain;
        this.queuePair = queuePair;
    }

    /** The landing of an id that came from the peer; null if there is none. */
    public Landing get(int id) {
        Landing landing = id < 0 ? null : byId.get(id % LandedBatches.MOST_LANDINGS);
        return landing == null || landing.id() != id ? null : landing;
    }

    /** Whose id has that place; null if none has. */
    public Landing at(int place) {
        return byId.get(place);
    }

    /** Landing thread: an id for another one; -1 if there are as many as there may be. */
    int freeId() {
        for (int i = 0; i < LandedBatches.MOST_LANDINGS; i++) {
            if (byId.get(i) == null) {
                uses = (uses + 1) & MOST_USES;
                return uses * LandedBatches.MOST_LANDINGS + i;
            }
        }
        return -1;
    }

    /** Landing thread. False if the link is over; nothing has been done then. */
    synchronized boolean put(Landing landing) {
        if (closed) {
            return false;
        }
        live++;
        byId.set(landing.id() % LandedBatches.MOST_LANDINGS, landing);
        return true;
    }

    /** Landing thread: nothing is registered for it any more. */
    synchronized void remove(Landing landing) {
        if (byId.compareAndSet(landing.id() % LandedBatches.MOST_LANDINGS, landing, null)) {
            live--;
            completeIfFreed();
        }
    }

    private void completeIfFreed() {
        if (closed && live == 0) {
            freed.complete(null);
        }
    }

    /** Completes after {@link #close}, when no window of this link is registered any more. */
    public CompletableFuture<Void> freed() {
        return freed;
    }

    boolean isClosed() {
        return closed;
    }

    /** Landing thread: the link is over, but its peer had the time to leave a window and did not. The others are not worth as long. */
    void stuck() {
        stuck = true;
    }

    boolean isStuck() {
        return stuck;
    }

    MemoryRegion register(Path file, int position, int lengthBytes) throws IOException {
        return domain.registerFileForWriting(file, position, lengthBytes);
    }

    /** Whether registered pages stay in memory, see {@link ProtectionDomain#pinsFiles}. */
    boolean pinsFiles() {
        return domain.pinsFiles();
    }

    CompletionStage<Void> export(MemoryRegion region) {
        return queuePair.export(region);
    }

    /** Owner of the link: it is over, and nothing more is announced. */
    public void close() {
        synchronized (this) {
            closed = true;
            completeIfFreed();
        }
        for (int i = 0; i < LandedBatches.MOST_LANDINGS; i++) {
            Landing landing = byId.get(i);
            if (landing != null) {
                landing.drain();
            }
        }
    }
}
