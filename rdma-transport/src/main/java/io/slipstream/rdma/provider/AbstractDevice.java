// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.provider;

import io.slipstream.rdma.ProtectionDomain;
import io.slipstream.rdma.RdmaDevice;
import io.slipstream.rdma.TransportCounters;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The registry of what was opened on a device, and the rule by which shared resources are freed: on the connection
 * thread, after the owner thread has left its current operation.
 *
 * @param <D> the provider's protection domains
 * @param <Q> the provider's completion queues
 * @param <C> the connection thread's side of the provider's queue pairs
 */
public abstract class AbstractDevice<D extends ProtectionDomain, Q extends AbstractCompletionQueue, C>
        implements RdmaDevice {
    private static final long QUIET_RETRY_NS = TimeUnit.MILLISECONDS.toNanos(1);

    protected final List<D> domains = new CopyOnWriteArrayList<>();
    protected final Set<Q> completionQueues = ConcurrentHashMap.newKeySet();
    protected final Set<C> connections = ConcurrentHashMap.newKeySet();
    private final List<CounterBlock> counterBlocks = new CopyOnWriteArrayList<>();
    private final TransportCounters counters = CounterBlock.sumOf(counterBlocks);
    private final CompletableFuture<Void> allDone = new CompletableFuture<>();
    private volatile boolean closing;

    /** Any thread. Runs {@code task} on the connection thread, in order; returns false if the device is closed. */
    public abstract boolean execute(Runnable task);

    /** Runs {@code task} on the connection thread after {@code delayNs}; drops it if the device is closed. */
    public abstract void runLater(Runnable task, long delayNs);

    /**
     * Any thread. Runs {@code action} on the connection thread once the owner thread has left the operation that it may
     * be in now.
     */
    public final void whenQuiet(OwnerActivity activity, Runnable action) {
        OwnerActivity.Mark mark = activity.mark();
        execute(() -> runWhenPast(mark, action));
    }

    private void runWhenPast(OwnerActivity.Mark mark, Runnable action) {
        if (mark.isPast()) {
            action.run();
        } else {
            runLater(() -> runWhenPast(mark, action), QUIET_RETRY_NS);
        }
    }

    /** Copies private data. Throws IllegalArgumentException if it is longer than {@link #MAX_PRIVATE_DATA_BYTES}. */
    public static byte[] checkedPrivateData(ByteBuffer privateData) {
        if (privateData.remaining() > MAX_PRIVATE_DATA_BYTES) {
            throw new IllegalArgumentException("private data of " + privateData.remaining() + " bytes, at most "
                    + MAX_PRIVATE_DATA_BYTES + " are allowed");
        }
        byte[] data = new byte[privateData.remaining()];
        privateData.duplicate().get(data);
        return data;
    }

    protected static void checkCapacity(int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("capacity must be positive: " + capacity);
        }
    }

    protected final void ensureOpen() {
        if (closing) {
            throw new IllegalStateException("device is closed");
        }
    }

    protected final boolean isClosing() {
        return closing;
    }

    /** Returns true to the one caller that has to close the device. */
    protected final synchronized boolean beginClose() {
        boolean first = !closing;
        closing = true;
        return first;
    }

    protected final D added(D domain) {
        domains.add(domain);
        return domain;
    }

    protected final Q added(Q queue) {
        completionQueues.add(queue);
        counterBlocks.add(queue.counters);
        return queue;
    }

    public final void forget(C connection) {
        connections.remove(connection);
        completeIfAllDone();
    }

    public final void forgetQueue(Q queue) {
        completionQueues.remove(queue);
        completeIfAllDone();
    }

    /** Connection thread: lets {@link #awaitAllDone} return if the device is closing and nothing is left to free. */
    protected final void completeIfAllDone() {
        if (closing && connections.isEmpty() && completionQueues.isEmpty()) {
            allDone.complete(null);
        }
    }

    /** Returns false if connections or completion queues are still in use at the deadline. */
    protected final boolean awaitAllDone(long timeoutNs) {
        try {
            allDone.get(timeoutNs, TimeUnit.NANOSECONDS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        } catch (ExecutionException | TimeoutException e) {
            return false;
        }
    }

    @Override
    public final long registeredBytes() {
        return domains.stream().mapToLong(ProtectionDomain::registeredBytes).sum();
    }

    @Override
    public final TransportCounters counters() {
        return counters;
    }
}
