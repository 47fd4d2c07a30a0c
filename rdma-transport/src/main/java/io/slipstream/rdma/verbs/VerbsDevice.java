// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import io.slipstream.rdma.CompletionQueue;
import io.slipstream.rdma.DeviceConfig;
import io.slipstream.rdma.FileRegistration;
import io.slipstream.rdma.ProtectionDomain;
import io.slipstream.rdma.QueuePair;
import io.slipstream.rdma.QueuePairConfig;
import io.slipstream.rdma.RdmaListener;
import io.slipstream.rdma.provider.AbstractDevice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A port of an RDMA device, identified by its IP address. An rdma_cm_id bound to that address keeps the device's
 * context open.
 */
final class VerbsDevice extends AbstractDevice<VerbsProtectionDomain, VerbsCompletionQueue, ConnectionControl> {
    private static final Logger log = LoggerFactory.getLogger(VerbsDevice.class);
    static final long HANDSHAKE_DEADLINE_NS = TimeUnit.SECONDS.toNanos(5);
    /**
     * 4.096 µs * 2^17 = 0.54 s without an acknowledgement before a retry. With the default of three retries, a peer
     * counts as dead after 2.1 s.
     */
    static final int ACK_TIMEOUT_EXPONENT = 17;

    static final long KEEP_ALIVE_INTERVAL_NS = TimeUnit.SECONDS.toNanos(2);
    private static final long CLOSE_DEADLINE_NS = TimeUnit.SECONDS.toNanos(5);

    final NativeVerbs natives;
    final PortSelection selection;
    final DeviceConfig config;
    final long channel;
    private final long anchor;
    final long context;
    private final int mostCompletions;
    final int mostWorkRequests;
    private final ConnectionThread thread;
    /** Connection thread: a buffer for outgoing private data. */
    final ByteBuffer scratch = ByteBuffer.allocateDirect(256);

    final Map<Long, CmEvent.Handler> handlers = new ConcurrentHashMap<>();
    private final Map<Long, VerbsListener> listeners = new ConcurrentHashMap<>();
    /** Connection thread: for actions that make the connection manager send a message. */
    final LinkGate linkGate;

    final DeviceEvents deviceEvents;
    final FileRegistrations fileRegistrations;

    private VerbsDevice(NativeVerbs natives, PortSelection selection, DeviceConfig config, long channel, long anchor)
            throws IOException {
        this.natives = natives;
        this.selection = selection;
        this.config = config;
        this.channel = channel;
        this.anchor = anchor;
        SocketAddress address = selection.address().toSocketAddress();
        natives.bindAddress(anchor, address.ip(), address.scopeId(), 0);
        this.context = natives.contextOf(anchor);
        String expected = selection.port().device();
        if (context == 0 || !natives.deviceName(context).equals(expected)) {
            throw new IOException("address " + selection.address() + " does not lead to device " + expected
                    + (context == 0 ? "" : " but to " + natives.deviceName(context)));
        }
        this.linkGate = new LinkGate(selection.port());
        this.deviceEvents = new DeviceEvents(expected, linkGate, connections, completionQueues);
        this.fileRegistrations = new FileRegistrations(natives, context);
        int[] limits = new int[2];
        natives.queryDevice(context, limits);
        this.mostCompletions = limits[0];
        this.mostWorkRequests = limits[1];
        this.thread = new ConnectionThread(natives, channel, expected, this);
    }

    static VerbsDevice open(NativeVerbs natives, PortSelection selection, DeviceConfig config) throws IOException {
        long channel = natives.createEventChannel();
        long anchor = 0;
        try {
            anchor = natives.createId(channel);
            VerbsDevice device = new VerbsDevice(natives, selection, config, channel, anchor);
            AsyncEvents.add(device.context, device);
            device.thread.start();
            device.execute(device::tick);
            log.info("RDMA device {}", selection.port());
            return device;
        } catch (IOException | RuntimeException e) {
            if (anchor != 0) {
                natives.destroyId(anchor);
            }
            natives.destroyEventChannel(channel);
            throw e;
        }
    }

    @Override
    public boolean execute(Runnable task) {
        return thread.execute(task);
    }

    /** Connection thread. */
    ConnectionThread.Timer schedule(Runnable task, long delayNs) {
        return thread.schedule(task, delayNs);
    }

    @Override
    public void runLater(Runnable task, long delayNs) {
        thread.schedule(task, delayNs);
    }

    // ---- events, on the connection thread

    void onConnectionEvent(ByteBuffer event) {
        long id = event.getLong(CmEvent.ID);
        if (event.getInt(CmEvent.TYPE) == CmEvent.CONNECT_REQUEST) {
            VerbsListener listener = listeners.get(event.getLong(CmEvent.LISTEN_ID));
            if (listener == null || isClosing()) {
                destroyId(id);
            } else {
                listener.onRequest(id, event);
            }
            return;
        }
        CmEvent.Handler handler = handlers.get(id);
        if (handler != null) {
            handler.onEvent(event);
        } else if (event.getInt(CmEvent.TYPE) == CmEvent.DEVICE_REMOVAL) {
            deviceEvents.endAll("the RDMA device was removed");
        }
    }

    /** Reading events has failed, and no further events are read. */
    void onBroken(IOException cause) {
        log.error("Events of RDMA device {} can no longer be read", name(), cause);
        deviceEvents.endAll("connection manager failed: " + cause.getMessage());
    }

    /** The context whose asynchronous events this device's thread reads now, or 0. */
    long watchedContext() {
        return AsyncEvents.isTakenBy(context, this) ? context : 0;
    }

    private void tick() {
        deviceEvents.keepAlive();
        linkGate.release();
        schedule(this::tick, KEEP_ALIVE_INTERVAL_NS);
    }

    // ---- registry

    /** The id's queue pair must be destroyed. */
    void destroyId(long id) {
        handlers.remove(id);
        try {
            natives.destroyId(id);
        } catch (IOException e) {
            log.error("An rdma_cm_id could not be destroyed: {}", e.getMessage());
        }
    }

    /** Connection thread: a queue pair on that id is connected or is about to be. */
    VerbsQueuePair addQueuePair(long id, long nativeQueuePair, VerbsReservation reservation, PrivateData peer)
            throws IOException {
        VerbsQueuePair queuePair = new VerbsQueuePair(this, id, nativeQueuePair, reservation, peer);
        handlers.put(id, queuePair.control);
        connections.add(queuePair.control);
        return queuePair;
    }

    void forgetDomain(VerbsProtectionDomain domain) {
        domains.remove(domain);
    }

    /** Any thread: when this method returns, no further request of the listener is handled. Idempotent. */
    void closeListener(long listenId, VerbsListener listener) {
        // A later listener may have the number of a destroyed one.
        if (!listeners.remove(listenId, listener)) {
            return;
        }
        CompletableFuture<Void> destroyed = new CompletableFuture<>();
        Runnable destroy = () -> {
            destroyId(listenId);
            destroyed.complete(null);
        };
        if (thread.isCurrent()) {
            destroy.run();
        } else if (execute(destroy)) {
            destroyed
                    .completeOnTimeout(null, CLOSE_DEADLINE_NS, TimeUnit.NANOSECONDS)
                    .join();
        }
    }

    // ---- API

    @Override
    public String provider() {
        return VerbsProvider.NAME;
    }

    @Override
    public String name() {
        return selection.port().device() + "/" + selection.port().port();
    }

    @Override
    public ProtectionDomain createProtectionDomain() {
        ensureOpen();
        try {
            return added(new VerbsProtectionDomain(this));
        } catch (IOException e) {
            throw new IllegalStateException("no protection domain: " + e.getMessage(), e);
        }
    }

    @Override
    public CompletionQueue createCompletionQueue(int capacity) throws IOException {
        checkCapacity(capacity);
        if (capacity + (long) (capacity + 1) / 2 > mostCompletions) {
            throw new IOException("a completion queue of capacity " + capacity + " is more than device "
                    + selection.port().device() + " can hold: " + mostCompletions / 3L * 2);
        }
        ensureOpen();
        return added(new VerbsCompletionQueue(this, capacity));
    }

    @Override
    public RdmaListener listen(String address, RdmaListener.Handler handler) throws IOException {
        ensureOpen();
        return VerbsListener.open(this, address, handler, listeners);
    }

    @Override
    public CompletionStage<QueuePair> connect(
            String address, QueuePairConfig queuePairConfig, ByteBuffer privateData, long timeoutNs) {
        byte[] data = checkedPrivateData(privateData);
        ensureOpen();
        VerbsReservation reservation = new VerbsReservation(this, queuePairConfig);
        CompletableFuture<QueuePair> connected = new CompletableFuture<>();
        VerbsOutgoingConnection connection = new VerbsOutgoingConnection(this, address, data, reservation, connected);
        if (!execute(() -> connection.start(timeoutNs))) {
            reservation.release(0);
            connected.completeExceptionally(new IOException("cannot connect to " + address + ": device is closed"));
        }
        return connected;
    }

    @Override
    public FileRegistration probe(Path directory) throws IOException {
        ensureOpen();
        return fileRegistrations.probe(directory);
    }

    @Override
    public void close() {
        if (!beginClose()) {
            return;
        }
        listeners.values().forEach(VerbsListener::close);
        connections.forEach(connection -> connection.queuePair.close());
        completionQueues.forEach(VerbsCompletionQueue::close);
        // Runs after tasks that may just be completing a connection.
        execute(() -> {
            connections.forEach(connection -> connection.queuePair.close());
            completeIfAllDone();
        });
        if (!thread.isCurrent() && !awaitAllDone(CLOSE_DEADLINE_NS)) {
            log.warn(
                    "RDMA device {} is closed while {} queue pairs and {} completion queues are still in use",
                    selection.port().device(),
                    connections.size(),
                    completionQueues.size());
        }
        domains.forEach(VerbsProtectionDomain::close);
        execute(thread::stop);
        if (!thread.isCurrent()) {
            thread.awaitEnd(CLOSE_DEADLINE_NS);
        }
    }

    /** The last call on the connection thread. */
    void onEnd() {
        AsyncEvents.remove(context, this);
        int held = linkGate.release();
        if (held > 0) {
            log.warn(
                    "RDMA device {} is closed while its link is down: {} messages to peers are not sent"
                            + " before this process ends",
                    name(),
                    held);
            return;
        }
        handlers.keySet().forEach(this::destroyId);
        destroyId(anchor);
        natives.destroyEventChannel(channel);
    }
}
