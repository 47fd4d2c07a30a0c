// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.transport;

import io.slipstream.process.Patience;
import io.slipstream.rdma.Access;
import io.slipstream.rdma.CompletionQueue;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.DeviceConfig;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.PostStatus;
import io.slipstream.rdma.ProtectionDomain;
import io.slipstream.rdma.QueuePair;
import io.slipstream.rdma.QueuePairConfig;
import io.slipstream.rdma.RdmaDevice;
import io.slipstream.rdma.RdmaListener;
import io.slipstream.rdma.RdmaProvider;
import io.slipstream.rdma.WorkCompletion;
import io.slipstream.rdma.WorkRequest;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.EnumSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One side of the measured connection: a device, a region and a queue pair. Each process has one. It busy polls while
 * it works and sleeps otherwise. Confined to one thread once connected. Its region:
 *
 * <pre>
 *      0  source of its WRITEs, destination of its READs
 *   8192  destination of the peer's WRITEs
 *  24576  a pattern that the peer reads
 * </pre>
 */
final class Endpoint implements AutoCloseable {
    private static final int REGION_BYTES = 32 * 1024;
    private static final int ARRIVALS = 8 * 1024;
    private static final int READABLE = 24 * 1024;
    /** Of a written message; the last bytes to arrive, as perftest also assumes. */
    private static final int LAST_LONG = 64 - Long.BYTES;

    private static final int DEPTH = 64;
    private static final int RECEIVES = 16;
    /** Empty polls between checks of the clock. */
    private static final int POLLS_PER_CLOCK = 1 << 16;

    private static final long TIMEOUT_NS = Patience.ofSeconds(10).toNanos();
    private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final RdmaDevice device;
    private final ProtectionDomain domain;
    private final CompletionQueue completions;
    private final MemoryRegion region;
    private final ByteBuffer memory;
    private final WorkRequest request = new WorkRequest();
    private final WorkCompletion[] polled = {new WorkCompletion(), new WorkCompletion(), new WorkCompletion()};

    private QueuePair queuePair;
    private long peerAddress;
    private int peerKey;
    private int sends;
    private int receives;
    private int lastImm;
    /** Number of sent WRITEs, which the peer's memory must show. */
    private long written;

    Endpoint(RdmaProvider provider, DeviceConfig config) throws IOException {
        device = provider.open(config);
        domain = device.createProtectionDomain();
        completions = device.createCompletionQueue(4 * DEPTH);
        region = domain.allocate(REGION_BYTES, EnumSet.allOf(Access.class));
        memory = region.buffer();
        for (int at = READABLE; at < REGION_BYTES; at += Long.BYTES) {
            memory.putLong(at, pattern(at - READABLE));
        }
    }

    private static long pattern(int offset) {
        return 0x5EED_0000_0000_0000L + offset;
    }

    /** Listens, reports the address, and waits for the peer. */
    void accept(String address, Consumer<String> listening) throws Exception {
        CompletableFuture<QueuePair> accepted = new CompletableFuture<>();
        try (RdmaListener listener = device.listen(
                address,
                incoming -> incoming.accept(config()).whenComplete((connected, failure) -> {
                    if (failure == null) {
                        accepted.complete(connected);
                    } else {
                        accepted.completeExceptionally(failure);
                    }
                }))) {
            listening.accept(listener.address());
            use(accepted.get(TIMEOUT_NS, TimeUnit.NANOSECONDS), false);
        }
    }

    void connect(String address) throws Exception {
        use(
                device.connect(address, config(), ByteBuffer.allocate(0), TIMEOUT_NS)
                        .toCompletableFuture()
                        .get(TIMEOUT_NS, TimeUnit.NANOSECONDS),
                true);
    }

    private QueuePairConfig config() {
        return new QueuePairConfig(domain, completions, DEPTH, DEPTH, (ended, reason) -> {});
    }

    private void use(QueuePair connected, boolean begins) throws Exception {
        queuePair = connected;
        for (int i = 0; i < RECEIVES; i++) {
            postReceive();
        }
        connected.export(region).toCompletableFuture().get(TIMEOUT_NS, TimeUnit.NANOSECONDS);
        int high = exchange((int) (region.address() >>> Integer.SIZE), begins);
        peerAddress = (long) high << Integer.SIZE | Integer.toUnsignedLong(exchange((int) region.address(), begins));
        peerKey = exchange(region.rkey(), begins);
    }

    /** Sends a word as immediate data and returns the peer's. */
    private int exchange(int word, boolean begins) {
        if (!begins) {
            await(0, 1);
        }
        int known = lastImm;
        post(Opcode.WRITE_WITH_IMM, 0, 0, word);
        postReceive();
        await(1, begins ? 1 : 0);
        return begins ? lastImm : known;
    }

    /** Executes {@code startsNs.length} operations one at a time and stores the start of each. */
    void measure(Experiment experiment, long[] startsNs) {
        switch (experiment.opcode()) {
            case WRITE_WITH_IMM -> pingByCompletion(experiment.sizeBytes(), startsNs);
            case WRITE -> pingByMemory(experiment.sizeBytes(), startsNs);
            default -> oneSided(experiment, startsNs);
        }
    }

    /** Takes part in a ping-pong of this many operations. */
    void answer(Experiment experiment, int operations) {
        if (experiment.opcode() == Opcode.WRITE_WITH_IMM) {
            answerByCompletion(experiment.sizeBytes(), operations);
        } else {
            answerByMemory(experiment.sizeBytes(), operations);
        }
    }

    private void pingByCompletion(int sizeBytes, long[] startsNs) {
        for (int i = 0; i < startsNs.length; i++) {
            startsNs[i] = System.nanoTime();
            post(Opcode.WRITE_WITH_IMM, sizeBytes, ARRIVALS, i);
            postReceive();
            await(1, 1);
            if (lastImm != i) {
                throw new IllegalStateException("the answer to " + i + " carries " + lastImm);
            }
        }
    }

    private void answerByCompletion(int sizeBytes, int operations) {
        for (int i = 0; i < operations; i++) {
            await(0, 1);
            post(Opcode.WRITE_WITH_IMM, sizeBytes, ARRIVALS, lastImm);
            postReceive();
            await(1, 0);
        }
    }

    private void pingByMemory(int sizeBytes, long[] startsNs) {
        for (int i = 0; i < startsNs.length; i++) {
            startsNs[i] = System.nanoTime();
            writeNext(sizeBytes);
            awaitMemory(written);
        }
    }

    private void answerByMemory(int sizeBytes, int operations) {
        for (int i = 0; i < operations; i++) {
            awaitMemory(written + 1);
            writeNext(sizeBytes);
        }
    }

    private void writeNext(int sizeBytes) {
        memory.putLong(LAST_LONG, ++written);
        post(Opcode.WRITE, sizeBytes, ARRIVALS, 0);
        await(1, 0);
    }

    private void oneSided(Experiment experiment, long[] startsNs) {
        for (int i = 0; i < startsNs.length; i++) {
            startsNs[i] = System.nanoTime();
            post(experiment.opcode(), experiment.sizeBytes(), READABLE, 0);
            await(1, 0);
        }
        for (int at = 0; at < experiment.sizeBytes(); at += Long.BYTES) {
            check("byte " + at + " of what was read", pattern(at), memory.getLong(at));
        }
    }

    private static void check(String what, long expected, long found) {
        if (expected != found) {
            throw new IllegalStateException(what + " is " + found + ", not " + expected);
        }
    }

    private void post(Opcode opcode, int sizeBytes, int remoteOffset, int imm) {
        request.opcode = opcode;
        request.imm = imm;
        request.remoteAddress = peerAddress + remoteOffset;
        request.rkey = peerKey;
        request.clearSegments().addSegment(region.lkey(), region.address(), sizeBytes);
        check(queuePair.post(request));
    }

    private void postReceive() {
        check(queuePair.postReceive(0));
    }

    private void check(long status) {
        if (status < 0) {
            throw new IllegalStateException(
                    "not posted: " + PostStatus.name(status) + ' ' + String.valueOf(queuePair.errorReason()));
        }
    }

    /** Polls until this many own requests and receives have completed. Early completions count for the next call. */
    private void await(int ownRequests, int arrivals) {
        long endNs = 0;
        int empty = 0;
        while (sends < ownRequests || receives < arrivals) {
            int count = completions.poll(polled);
            for (int i = 0; i < count; i++) {
                take(polled[i]);
            }
            if (count == 0) {
                endNs = watchTime(++empty, endNs);
            }
        }
        sends -= ownRequests;
        receives -= arrivals;
    }

    private void take(WorkCompletion completion) {
        if (completion.status != CompletionStatus.SUCCESS) {
            throw new IllegalStateException(completion.toString());
        }
        if (completion.opcode == Opcode.RECV_WITH_IMM) {
            receives++;
            lastImm = completion.imm;
        } else {
            sends++;
        }
    }

    private void awaitMemory(long expected) {
        long endNs = 0;
        int empty = 0;
        while ((long) LONGS.getAcquire(memory, ARRIVALS + LAST_LONG) != expected) {
            Thread.onSpinWait();
            endNs = watchTime(++empty, endNs);
        }
    }

    private static long watchTime(int empty, long endNs) {
        return empty % POLLS_PER_CLOCK == 0 ? checkTime(endNs) : endNs;
    }

    /** Returns the deadline, from the first call on. */
    private static long checkTime(long endNs) {
        long nowNs = System.nanoTime();
        if (endNs == 0) {
            return nowNs + TIMEOUT_NS;
        }
        if (nowNs - endNs > 0) {
            throw new IllegalStateException("nothing came from the peer in " + TIMEOUT_NS / 1_000_000_000L + " s");
        }
        return endNs;
    }

    @Override
    public void close() {
        device.close();
    }
}
