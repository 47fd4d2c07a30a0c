// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.rdma;

import io.slipstream.rdma.ConnectionRequest;
import io.slipstream.rdma.QueuePair;
import io.slipstream.rdma.QueuePairConfig;
import io.slipstream.rdma.RdmaListener;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Accepts connections to a broker's device. */
final class SimulatedListener implements RdmaListener {
    final SimulatedDevice device;
    private final String address;
    private final Handler handler;

    SimulatedListener(SimulatedDevice device, String address, Handler handler) {
        this.device = device;
        this.address = address;
        this.handler = handler;
    }

    @Override
    public String address() {
        return address;
    }

    /** Carries the request over the wire; the broker accepts or rejects it. */
    void request(SimulatedDevice client, QueuePairConfig config, byte[] data, CompletableFuture<QueuePair> connecting) {
        device.fabric.world.after(
                0,
                device.host,
                () -> handler.onConnectionRequest(new ConnectionRequest() {
                    @Override
                    public ByteBuffer privateData() {
                        return ByteBuffer.wrap(data).asReadOnlyBuffer();
                    }

                    @Override
                    public CompletionStage<QueuePair> accept(QueuePairConfig own) {
                        SimulatedQueuePair here = new SimulatedQueuePair(device, own);
                        SimulatedQueuePair there = new SimulatedQueuePair(client, config);
                        here.meet(there);
                        device.fabric.world.after(device.fabric.delayNs(), client.host, () -> {
                            if (there.state() == io.slipstream.rdma.QueuePairState.CONNECTED) {
                                connecting.complete(there);
                            } else {
                                connecting.completeExceptionally(new java.io.IOException("connection lost"));
                            }
                        });
                        if (!client.host.isAlive()) {
                            there.vanish();
                        }
                        return CompletableFuture.completedFuture(here);
                    }

                    @Override
                    public void reject(String reason) {
                        client.fail(connecting, reason);
                    }
                }));
    }

    @Override
    public void close() {
        device.fabric.listeners.remove(address, this);
    }
}
