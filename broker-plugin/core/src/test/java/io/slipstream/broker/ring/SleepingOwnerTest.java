// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.broker.client.TestProvider;
import io.slipstream.broker.metrics.PluginMeters;
import io.slipstream.broker.session.BoundSession;
import io.slipstream.broker.session.ObservedConnection;
import io.slipstream.broker.session.SessionLifetime;
import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.protocol.ring.RingFrame;
import io.slipstream.rdma.Access;
import io.slipstream.rdma.CompletionQueue;
import io.slipstream.rdma.DeviceConfig;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.ProtectionDomain;
import io.slipstream.rdma.QueuePair;
import io.slipstream.rdma.QueuePairConfig;
import io.slipstream.rdma.RdmaDevice;
import io.slipstream.rdma.RdmaListener;
import io.slipstream.rdma.WorkCompletion;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Threads ring doorbells and change throttlings while the owner of the rings sleeps, falls asleep or wakes, and while
 * the send queue is full.
 */
@Timeout(60)
class SleepingOwnerTest {
    private static final int DEPTH = 256;
    private static final int RINGERS = 3;
    /** More than the depth of the send queue. */
    private static final int SLOTS = DEPTH + 50;

    private static final int REGION_BYTES = 1 << 16;
    private static final long TIMEOUT_S = 10;
    /** Time limit of the rounds: a busy machine may do a hundredth of them. */
    private static final long ROUNDS_NS = TimeUnit.SECONDS.toNanos(Boolean.getBoolean("slipstream.thorough") ? 10 : 2);

    private static final int LEAST_ROUNDS = 100;

    private RdmaDevice brokerDevice;
    private RdmaDevice proxyDevice;
    private CompletionQueue atProxy;
    private QueuePair proxy;
    private RingThread ring;
    private RingHandler handler;
    private RingLink link;
    private MemoryRegion replies;
    private MemoryRegion controlWord;
    private final List<RingSession> sessions = new ArrayList<>();
    private long consumed;
    private volatile boolean stop;
    private volatile long polls;
    private volatile int round;
    private Thread owner;

    @TempDir
    private Path directory;

    @BeforeEach
    void connect() throws Exception {
        brokerDevice = TestProvider.get().open(DeviceConfig.DEFAULT);
        proxyDevice = TestProvider.get().open(DeviceConfig.DEFAULT);
        ProtectionDomain domain = brokerDevice.createProtectionDomain();
        CompletionQueue atBroker = brokerDevice.createCompletionQueue(4 * DEPTH);
        ProtectionDomain proxyDomain = proxyDevice.createProtectionDomain();
        atProxy = proxyDevice.createCompletionQueue(4 * DEPTH);
        CompletableFuture<QueuePair> accepted = new CompletableFuture<>();
        ByteBuffer nothing = ByteBuffer.allocate(0);
        try (RdmaListener listener = brokerDevice.listen(
                TestProvider.address(directory.resolve("s")),
                request -> request.accept(new QueuePairConfig(domain, atBroker, DEPTH, DEPTH, (ended, reason) -> {}))
                        .thenAccept(accepted::complete))) {
            proxy = proxyDevice
                    .connect(
                            listener.address(),
                            new QueuePairConfig(proxyDomain, atProxy, DEPTH, 2 * DEPTH, (ended, reason) -> {}),
                            nothing,
                            TimeUnit.SECONDS.toNanos(TIMEOUT_S))
                    .toCompletableFuture()
                    .get(TIMEOUT_S, TimeUnit.SECONDS);
        }
        QueuePair broker = accepted.get(TIMEOUT_S, TimeUnit.SECONDS);
        replies = proxyDomain.allocate(REGION_BYTES, EnumSet.of(Access.REMOTE_WRITE));
        proxy.export(replies).toCompletableFuture().get(TIMEOUT_S, TimeUnit.SECONDS);
        for (int i = 0; i < 2 * DEPTH; i++) {
            assertThat(proxy.postReceive(0)).isNotNegative();
        }
        ring = new RingThread(atBroker, 1, 0, RingThread.MOST_HELD_REPLIES);
        handler = new RingHandler(ring);
        controlWord = domain.allocate(4096, EnumSet.of(Access.REMOTE_WRITE));
        for (int i = 0; i < RINGERS; i++) {
            ObservedConnection connection = new ObservedConnection("c", "", "PLAINTEXT", "User:alice", false, null);
            sessions.add(new RingSession(new BoundSession(1, i, connection, SessionLifetime.UNLIMITED)));
        }
        link = new RingLink(
                1,
                broker,
                ring,
                new PluginMeters(),
                DEPTH / 4,
                DEPTH,
                SLOTS,
                domain.allocate(REGION_BYTES, EnumSet.of(Access.REMOTE_WRITE)),
                ByteBuffer.allocateDirect(REGION_BYTES),
                controlWord,
                domain.allocate(REGION_BYTES, EnumSet.noneOf(Access.class)),
                new RemoteMemory(replies.address(), replies.lengthBytes(), replies.rkey()));
    }

    @AfterEach
    void close() throws Exception {
        stop = true;
        if (owner != null) {
            ring.wakeUp();
            owner.join(TimeUnit.SECONDS.toMillis(TIMEOUT_S));
            assertThat(owner.isAlive()).isFalse();
        }
        brokerDevice.close();
        proxyDevice.close();
    }

    private void startOwner(long pollMs) throws Exception {
        owner = new Thread(() -> {
            while (!stop) {
                handler.poll(pollMs);
                polls++;
            }
            handler.close();
        });
        owner.start();
        ring.schedule(link);
        link.attached.get(TIMEOUT_S, TimeUnit.SECONDS);
    }

    @Test
    void shouldPostForOwnerThatSleepsWithoutWakingIt() throws Exception {
        startOwner(TimeUnit.SECONDS.toMillis(30));
        // A try fails if the owner is about to sleep. It also fails if the post asked for a completion, which one post
        // per quarter of the send queue does.
        await().pollInSameThread()
                .atMost(Duration.ofSeconds(TIMEOUT_S))
                .until(() -> ring.ownership.isAsleep() && isPostedWithoutIt());
    }

    private boolean isPostedWithoutIt() {
        long wakings = ring.wakings;
        WorkCompletion[] got = {new WorkCompletion()};
        for (int round = 0; round < 10; round++) {
            link.throttle(sessions.get(0), round % 2 == 0);
            awaitCompletion(got);
            assertThat(session()).isZero();
        }
        return ring.wakings == wakings;
    }

    @Test
    void shouldWakeHoweverSoonItIsWoken() throws Exception {
        startOwner(TimeUnit.SECONDS.toMillis(30));
        long beginNs = System.nanoTime();
        for (int i = 0; i < 100_000 && isTimeForRound(i, beginNs); i++) {
            long before = polls;
            ring.wakeUp();
            long startNs = System.nanoTime();
            while (polls == before) {
                assertThat(System.nanoTime() - startNs)
                        .as("a wake-up was lost")
                        .isLessThan(TimeUnit.SECONDS.toNanos(TIMEOUT_S));
                Thread.yield();
            }
        }
    }

    /**
     * With 1 ms the owner falls asleep and wakes all the time. With 30 s only a borrower can repair what a borrower
     * misses. A throttling may be posted by the thread that changes it, a doorbell may not.
     */
    @ParameterizedTest
    @CsvSource({"1, true", "30000, true", "1, false", "30000, false"})
    void shouldLoseNoPostOfManyThreads(long pollMs, boolean byDoorbell) throws Exception {
        int rounds = 200_000;
        startOwner(pollMs);
        ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
        List<Thread> ringers = new ArrayList<>();
        for (int slot = 0; slot < RINGERS; slot++) {
            int own = slot;
            Thread ringer = new Thread(() -> {
                for (int i = 1; i <= rounds; i++) {
                    while (round < i) {
                        if (stop) {
                            return;
                        }
                        Thread.yield();
                    }
                    if (byDoorbell) {
                        link.ringDoorbell(own);
                    } else {
                        link.throttle(sessions.get(own), i % 2 == 1);
                    }
                }
            });
            ringer.setUncaughtExceptionHandler((thread, failure) -> failures.add(failure));
            ringers.add(ringer);
            ringer.start();
        }
        WorkCompletion[] got = {new WorkCompletion()};
        long beginNs = System.nanoTime();
        for (int i = 1; i <= rounds && isTimeForRound(i, beginNs); i++) {
            // Ring all at once, and ring none again before all were received: a missed doorbell is then lost.
            round = i;
            int heard = 0;
            for (int slot = 0; slot < RINGERS; slot++) {
                awaitCompletion(got);
                if (byDoorbell) {
                    proxy.postReceive(0);
                    heard |= 1 << (got[0].imm & ~RingFrame.IMM_SLOT_DOORBELL);
                } else {
                    heard |= 1 << session();
                }
            }
            assertThat(heard).isEqualTo((1 << RINGERS) - 1);
        }
        stop = true;
        for (Thread ringer : ringers) {
            ringer.join(TimeUnit.SECONDS.toMillis(TIMEOUT_S));
        }
        assertThat(failures).isEmpty();
    }

    /** Takes the frame that arrived next and returns its session. */
    private int session() {
        int session = replies.buffer().getInt((int) (consumed % REGION_BYTES) + RingFrame.SESSION_OFFSET);
        consumed += RingFrame.frameBytes(0);
        controlWord.buffer().putLong(0, consumed);
        proxy.postReceive(0);
        return session;
    }

    private static boolean isTimeForRound(int number, long beginNs) {
        return number <= LEAST_ROUNDS || System.nanoTime() - beginNs < ROUNDS_NS;
    }

    @Test
    void shouldRingDoorbellsThatTheSendQueueHadNoRoomFor() throws Exception {
        ring.schedule(link);
        handler.poll(1);
        for (int slot = 0; slot < SLOTS; slot++) {
            link.ringDoorbell(slot);
        }
        WorkCompletion[] got = {new WorkCompletion()};
        for (int slot = 0; slot < SLOTS; slot++) {
            handler.poll(1);
            awaitCompletion(got);
            assertThat(got[0].imm).isEqualTo(RingFrame.IMM_SLOT_DOORBELL | slot);
        }
        handler.close();
    }

    private void awaitCompletion(WorkCompletion[] got) {
        long startNs = System.nanoTime();
        while (atProxy.poll(got) == 0) {
            assertThat(System.nanoTime() - startNs)
                    .as("a doorbell was lost")
                    .isLessThan(TimeUnit.SECONDS.toNanos(TIMEOUT_S));
            Thread.yield();
        }
    }
}
