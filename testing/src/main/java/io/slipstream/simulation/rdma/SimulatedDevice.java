// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.rdma;

import io.slipstream.rdma.CompletionQueue;
import io.slipstream.rdma.FileRegistration;
import io.slipstream.rdma.ProtectionDomain;
import io.slipstream.rdma.QueuePair;
import io.slipstream.rdma.QueuePairConfig;
import io.slipstream.rdma.RdmaDevice;
import io.slipstream.rdma.RdmaListener;
import io.slipstream.rdma.TransportCounters;
import io.slipstream.rdma.provider.CounterBlock;
import io.slipstream.simulation.Host;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** One host's device. */
public final class SimulatedDevice implements RdmaDevice {
    static final TransportCounters NO_COUNTERS = CounterBlock.sumOf(List.of());

    final Fabric fabric;
    final Host host;
    final List<SimulatedQueuePair> queuePairs = new ArrayList<>();
    private final List<SimulatedDomain> domains = new ArrayList<>();
    private long connectionsEndedByPeers;

    public SimulatedDevice(Fabric fabric, Host host) {
        this.fabric = fabric;
        this.host = host;
    }

    @Override
    public String provider() {
        return SimulatedProvider.NAME;
    }

    @Override
    public ProtectionDomain createProtectionDomain() {
        SimulatedDomain domain = new SimulatedDomain(this);
        domains.add(domain);
        return domain;
    }

    @Override
    public CompletionQueue createCompletionQueue(int capacity) {
        return new SimulatedCompletionQueue();
    }

    @Override
    public RdmaListener listen(String address, RdmaListener.Handler handler) {
        SimulatedListener listener = new SimulatedListener(this, address, handler);
        fabric.listeners.put(address, listener);
        return listener;
    }

    @Override
    public CompletionStage<QueuePair> connect(
            String address, QueuePairConfig config, ByteBuffer privateData, long timeoutNs) {
        CompletableFuture<QueuePair> connected = new CompletableFuture<>();
        byte[] data = new byte[privateData.remaining()];
        privateData.duplicate().get(data);
        fabric.world.after(fabric.delayNs(), null, () -> {
            SimulatedListener listener = fabric.listeners.get(address);
            if (listener == null || !listener.device.host.isAlive()) {
                fail(connected, "nobody listens at " + address);
            } else {
                listener.request(this, config, data, connected);
            }
        });
        return connected;
    }

    void metEndedPeer() {
        connectionsEndedByPeers++;
    }

    /** Returns the number of connections with an operation in flight when the peer ended them. */
    public long connectionsEndedByPeers() {
        return connectionsEndedByPeers;
    }

    void fail(CompletableFuture<QueuePair> connecting, String reason) {
        fabric.world.after(fabric.delayNs(), host, () -> connecting.completeExceptionally(new IOException(reason)));
    }

    @Override
    public FileRegistration probe(Path directory) {
        return FileRegistration.ALL;
    }

    @Override
    public long registeredBytes() {
        return domains.stream().mapToLong(SimulatedDomain::registeredBytes).sum();
    }

    @Override
    public TransportCounters counters() {
        return NO_COUNTERS;
    }

    /** Ends the process: peers learn of it later, and its memory is no longer written. */
    public void kill() {
        for (SimulatedQueuePair queuePair : List.copyOf(queuePairs)) {
            queuePair.vanish();
        }
        domains.forEach(SimulatedDomain::vanish);
    }

    Host host() {
        return host;
    }

    @Override
    public void close() {
        List.copyOf(queuePairs).forEach(SimulatedQueuePair::close);
        domains.forEach(SimulatedDomain::close);
    }
}
