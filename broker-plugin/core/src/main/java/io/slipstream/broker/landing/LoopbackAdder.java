package io.slipstream.broker.landing;

import io.slipstream.rdma.Access;
import io.slipstream.rdma.CompletionQueue;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.ConnectionRequest;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.PostStatus;
import io.slipstream.rdma.ProtectionDomain;
import io.slipstream.rdma.QueuePair;
import io.slipstream.rdma.QueuePairConfig;
import io.slipstream.rdma.RdmaDevice;
import io.slipstream.rdma.RdmaListener;
import io.slipstream.rdma.WorkCompletion;
import io.slipstream.rdma.WorkRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Adds to words of this process by its own device, over a connection to itself: what a device adds is atomic with what its peers add through it, but not always with
 * what this processor does. Any thread; one thread of its own posts and polls.
 */
public final class LoopbackAdder implements AutoCloseable {
    private static final long CONNECT_NS = TimeUnit.SECONDS.toNanos(5);
    /** Far longer than any device takes. */
    private static final long ADD_NS = TimeUnit.SECONDS.toNanos(1);

    private static final int DEPTH = 4;
    private static final Set<Access> ACCESS = EnumSet.of(Access.REMOTE_ATOMIC);

    private final ExecutorService thread = Executors.newSingleThreadExecutor(task -> {
        Thread adder = new Thread(task, "slipstream-adder");
        adder.setDaemon(true);
        return adder;
    });
    private final ProtectionDomain domain;
    private final CompletionQueue completions;
    private final MemoryRegion result;
    private final WorkRequest work = new WorkRequest();
    private final WorkCompletion[] completed = {new WorkCompletion()};
    private QueuePair near;
    private QueuePair far;

    private LoopbackAdder(RdmaDevice device) throws IOException {
        domain = device.createProtectionDomain();
        completions = device.createCompletionQueue(4 * DEPTH);
        result = domain.allocate(LandingWindow.PAGE_BYTES, EnumSet.noneOf(Access.class));
    }

    /**
     * Blocks for as long as connecting takes.
     *
     * @param address where to listen for the connection to itself, for that long: as for {@link RdmaDevice#listen}
     */
    public static LoopbackAdder open(RdmaDevice device, String address) throws IOException {
        LoopbackAdder adder = new LoopbackAdder(device);
        try {
            adder.connect(device, address);
            return adder;
        } catch (IOException | RuntimeException e) {
            adder.close();
            throw e;
        }
    }

    private void connect(RdmaDevice device, String address) throws IOException {
        byte[] secret = new byte[16];
        new SecureRandom().nextBytes(secret);
        CompletableFuture<QueuePair> accepted = new CompletableFuture<>();
        try (RdmaListener listener = device.listen(address, request -> accept(request, secret, accepted))) {
            near = device.connect(listener.address(), config(), ByteBuffer.wrap(secret), CONNECT_NS)
                    .toCompletableFuture()
                    .get(CONNECT_NS, TimeUnit.NANOSECONDS);
            far = accepted.get(CONNECT_NS, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("the device does not connect to itself: " + e, e);
        }
    }

    /** Nobody else's request is taken. */
    private void accept(ConnectionRequest request, byte[] secret, CompletableFuture<QueuePair> accepted) {
        if (!request.privateData().equals(ByteBuffer.wrap(secret))) {
            request.reject("nothing is served here");
            return;
        }
        request.accept(config(), ByteBuffer.allocate(0)).whenComplete((queuePair, failure) -> {
            if (failure == null) {
                accepted.complete(queuePair);
            } else {
                accepted.completeExceptionally(failure);
            }
        });
    }

    private QueuePairConfig config() {
        return new QueuePairConfig(domain, completions, DEPTH, DEPTH, (queuePair, reason) -> {});
    }

    /** Has words of another domain added to. Closed by the caller. */
    MemoryRegion share(MemoryRegion word) throws IOException {
        MemoryRegion shared = domain.share(word, ACCESS);
        try {
            far.export(shared).toCompletableFuture().get(CONNECT_NS, TimeUnit.NANOSECONDS);
            return shared;
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            shared.close();
            throw new IOException("the word could not be shared with this broker itself: " + e, e);
        }
    }

    /** What the word was before. Throws IllegalStateException if that is not known, whether or not it was added to. */
    long add(MemoryRegion shared, long addend) {
        try {
            return thread.submit(() -> addNow(shared, addend)).get(ADD_NS, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (ExecutionException | TimeoutException | RejectedExecutionException e) {
            throw new IllegalStateException("the device did not add: " + e, e);
        }
    }

    private long addNow(MemoryRegion shared, long addend) {
        work.opcode = Opcode.FETCH_AND_ADD;
        work.clearSegments().addSegment(result.lkey(), result.address(), Long.BYTES);
        work.remoteAddress = shared.address();
        work.rkey = shared.rkey();
        work.compareAdd = addend;
        if (near.post(work) != PostStatus.POSTED) {
            throw new IllegalStateException("the connection of this broker to itself is over: " + near.errorReason());
        }
        long deadlineNs = System.nanoTime() + ADD_NS;
        while (completions.poll(completed) == 0) {
            if (System.nanoTime() - deadlineNs > 0) {
                near.disconnect("an addition took too long");
                throw new IllegalStateException("no completion");
            }
            Thread.onSpinWait();
        }
        if (completed[0].status != CompletionStatus.SUCCESS) {
            throw new IllegalStateException(completed[0].status.toString());
        }
        return result.buffer().getLong(0);
    }

    @Override
    public void close() {
        thread.shutdownNow();
        if (near != null) {
            near.close();
        }
        if (far != null) {
            far.close();
        }
        completions.close();
        result.close();
        domain.close();
    }
}
