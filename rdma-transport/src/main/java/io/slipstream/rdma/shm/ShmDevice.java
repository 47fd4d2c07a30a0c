// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.slipstream.rdma.CompletionQueue;
import io.slipstream.rdma.FileRegistration;
import io.slipstream.rdma.LocalPeers;
import io.slipstream.rdma.ProtectionDomain;
import io.slipstream.rdma.QueuePair;
import io.slipstream.rdma.QueuePairConfig;
import io.slipstream.rdma.RdmaListener;
import io.slipstream.rdma.provider.AbstractDevice;
import io.slipstream.rdma.provider.OwnerActivity;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The device of this host's shared memory. It owns the connection thread, and gives out keys and queue pair numbers.
 */
final class ShmDevice extends AbstractDevice<ShmProtectionDomain, ShmCompletionQueue, QueuePairControl> {
    static final long HANDSHAKE_DEADLINE_NS = TimeUnit.SECONDS.toNanos(5);
    private static final long CLOSE_DEADLINE_NS = TimeUnit.SECONDS.toNanos(2);

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("slipstream-shm", true), EpollIoHandler.newFactory());
    final EventLoop loop = group.next();
    private final SecureRandom random = new SecureRandom();
    private final Set<Integer> usedKeys = new HashSet<>(Set.of(0, ShmProtectionDomain.ANY_LOCAL_MEMORY_KEY));
    final AtomicInteger queuePairNumbers = new AtomicInteger();
    final Set<ShmListener> listeners = ConcurrentHashMap.newKeySet();
    final LocalPeers peers;

    /** @param peers the users whose processes may connect */
    ShmDevice(LocalPeers peers) {
        this.peers = peers;
    }

    @Override
    public boolean execute(Runnable task) {
        try {
            loop.execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    @Override
    public void runLater(Runnable task, long delayNs) {
        try {
            loop.schedule(task, delayNs, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            // The device is closed, so nothing waits for this task.
        }
    }

    /** Starts the handshake deadline of one socket. It is cancelled if the socket closes first. */
    void scheduleOn(Channel channel, Runnable onDeadline) {
        var deadline = loop.schedule(onDeadline, HANDSHAKE_DEADLINE_NS, TimeUnit.NANOSECONDS);
        channel.closeFuture().addListener(closed -> deadline.cancel(false));
    }

    List<OwnerActivity.Mark> markOwners() {
        return completionQueues.stream().map(queue -> queue.activity.mark()).toList();
    }

    /** Random, so that a peer cannot guess one key from another. Never returns the same key twice. */
    int newKey() {
        synchronized (usedKeys) {
            int key = random.nextInt();
            while (!usedKeys.add(key)) {
                key = random.nextInt();
            }
            return key;
        }
    }

    @Override
    public String provider() {
        return "shm";
    }

    @Override
    public ProtectionDomain createProtectionDomain() {
        ensureOpen();
        return added(new ShmProtectionDomain(this));
    }

    @Override
    public CompletionQueue createCompletionQueue(int capacity) {
        checkCapacity(capacity);
        ensureOpen();
        return added(new ShmCompletionQueue(this, capacity));
    }

    @Override
    public RdmaListener listen(String address, RdmaListener.Handler handler) throws IOException {
        ensureOpen();
        ShmListener listener = new ShmListener(this, address, handler);
        listeners.add(listener);
        return listener;
    }

    @Override
    public CompletionStage<QueuePair> connect(
            String address, QueuePairConfig config, ByteBuffer privateData, long timeoutNs) {
        byte[] data = checkedPrivateData(privateData);
        ensureOpen();
        CompletableFuture<QueuePair> connected = new CompletableFuture<>();
        try {
            LocalEnd localEnd = new LocalEnd(this, config);
            ShmOutgoingConnection connection = new ShmOutgoingConnection(this, address, data, localEnd, connected);
            if (!execute(() -> connection.start(timeoutNs))) {
                localEnd.discard();
                connected.completeExceptionally(new IOException("device is closed"));
            }
        } catch (IOException e) {
            connected.completeExceptionally(new IOException("cannot connect to " + address + ": " + e.getMessage(), e));
        }
        return connected;
    }

    /** Connection thread. */
    void add(ShmQueuePair queuePair) {
        connections.add(queuePair.control);
    }

    void forgetIfDone(QueuePairControl connection) {
        if (connection.isDone()) {
            forget(connection);
        }
    }

    /** A closed domain is kept only to account for its quarantined bytes. */
    void forgetIfEmpty(ShmProtectionDomain domain) {
        if (domain.registeredBytes() == 0) {
            domains.remove(domain);
        }
    }

    /** Nothing is pinned: files are read by pread(2), whatever the file system. */
    @Override
    public FileRegistration probe(Path directory) {
        return FileRegistration.ALL;
    }

    @Override
    public void close() {
        if (!beginClose()) {
            return;
        }
        listeners.forEach(ShmListener::close);
        connections.forEach(connection -> connection.queuePair.close());
        completionQueues.forEach(ShmCompletionQueue::close);
        execute(this::completeIfAllDone);
        if (loop.inEventLoop()) {
            // Called from a listener: this thread cannot wait, so the rest is freed when the loop ends.
            shutDown();
            return;
        }
        // At the deadline the sockets of the peers that have not closed their side are closed anyway.
        awaitAllDone(CLOSE_DEADLINE_NS);
        shutDown();
        group.terminationFuture().awaitUninterruptibly(CLOSE_DEADLINE_NS, TimeUnit.NANOSECONDS);
    }

    private void shutDown() {
        domains.forEach(ShmProtectionDomain::close);
        execute(() -> connections.forEach(QueuePairControl::abandon));
        group.shutdownGracefully(0, TimeUnit.NANOSECONDS.toMillis(CLOSE_DEADLINE_NS), TimeUnit.MILLISECONDS);
    }
}
