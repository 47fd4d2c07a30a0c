package io.slipstream.broker.landing;

import io.slipstream.protocol.ring.LandedBatches;
import io.slipstream.rdma.Access;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.ProtectionDomain;
import io.slipstream.rdma.QueuePair;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** The landings of one link by their ids. Written by the landing thread, read by the link's owner. */
public final class LinkLandings {
    /** So that an id, of 30 bits, is not another's soon. */
    private static final int MOST_USES = (1 << 24) - 1;

    private static final long EXPORT_NS = TimeUnit.SECONDS.toNanos(5);
    private static final Set<Access> WORD_ACCESS = EnumSet.of(Access.REMOTE_ATOMIC);

    private final ProtectionDomain domain;
    private final QueuePair queuePair;
    private final AtomicReferenceArray<Grant> byId = new AtomicReferenceArray<>(LandedBatches.MOST_LANDINGS);
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
    public Grant get(int id) {
        Grant landing = id < 0 ? null : byId.get(id % LandedBatches.MOST_LANDINGS);
        return landing == null || landing.id() != id ? null : landing;
    }

    /** Whose id has that place; null if none has. */
    public Grant at(int place) {
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
    synchronized boolean put(Grant landing) {
        if (closed) {
            return false;
        }
        live++;
        byId.set(landing.id() % LandedBatches.MOST_LANDINGS, landing);
        return true;
    }

    /** Landing thread: nothing is registered for it any more. */
    synchronized void remove(Grant landing) {
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

    /**
     * Landing thread: nothing is written through these windows any more when this returns true. A link that is over and whose peer had the time to leave a
     * window, and did not, is given none for the others.
     */
    boolean fence(List<LandingWindow> windows, long timeoutNs) {
        boolean fenced = true;
        for (LandingWindow window : windows) {
            fenced &= window.region().deregister(stuck ? 0 : timeoutNs);
            LandedLengths.remove(window.address(), window.end() - window.start());
        }
        stuck |= !fenced && closed;
        return fenced;
    }

    /** Registers and exports the bytes of a segment's file from the page of {@code start} on. Landing thread. */
    LandingWindow window(Path file, int start, int end) throws IOException {
        int from = LandingWindow.pageOf(start);
        MemoryRegion region = domain.registerFileForWriting(file, from, end - from);
        export(region);
        LandingWindow window = new LandingWindow(region, from);
        LandedLengths.add(window.address(), end - from);
        return window;
    }

    /** Registers and exports a word in which this link and others count. Landing thread. @param of another link's; null for a new one */
    MemoryRegion word(MemoryRegion of) throws IOException {
        MemoryRegion word =
                of == null ? domain.allocate(LandingWindow.PAGE_BYTES, WORD_ACCESS) : domain.share(of, WORD_ACCESS);
        export(word);
        return word;
    }

    /** Landing thread: what is counted in it from now on means nothing. */
    void forget(MemoryRegion word, long timeoutNs) {
        word.deregister(stuck ? 0 : timeoutNs);
    }

    /** Whether registered pages stay in memory, see {@link ProtectionDomain#pinsFiles}. */
    boolean pinsFiles() {
        return domain.pinsFiles();
    }

    /** Closes the region if the peer cannot be told of it. */
    private void export(MemoryRegion region) throws IOException {
        try {
            queuePair.export(region).toCompletableFuture().get(EXPORT_NS, TimeUnit.NANOSECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            region.close();
            throw new IOException("the memory could not be exported: " + e, e);
        }
    }

    /** Owner of the link: it is over, and nothing more is announced. */
    public void close() {
        synchronized (this) {
            closed = true;
            completeIfFreed();
        }
        for (int i = 0; i < LandedBatches.MOST_LANDINGS; i++) {
            Grant landing = byId.get(i);
            if (landing != null) {
                landing.drain(false);
            }
        }
    }
}
