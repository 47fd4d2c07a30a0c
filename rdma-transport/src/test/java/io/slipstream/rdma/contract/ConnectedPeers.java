// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.contract;

import io.slipstream.rdma.QueuePair;
import io.slipstream.rdma.QueuePairConfig;
import io.slipstream.rdma.RdmaListener;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Two devices with a connection between them. */
public final class ConnectedPeers implements AutoCloseable {
    private static final ByteBuffer NO_DATA = ByteBuffer.allocate(0);

    public final Peer initiator;
    public final Peer target;

    public ConnectedPeers(ProviderFixture fixture) throws Exception {
        initiator = new Peer(fixture.openDevice());
        target = new Peer(fixture.openDevice());
        connect(fixture, initiator, initiator.config(), target, target.config());
    }

    /** Connects the two and sets their queue pairs. */
    public static void connect(
            ProviderFixture fixture,
            Peer initiator,
            QueuePairConfig initiatorConfig,
            Peer target,
            QueuePairConfig targetConfig)
            throws Exception {
        CompletableFuture<QueuePair> accepted = new CompletableFuture<>();
        try (RdmaListener listener = target.device.listen(
                fixture.unusedAddress(),
                request -> request.accept(targetConfig).whenComplete((queuePair, error) -> {
                    if (error == null) {
                        accepted.complete(queuePair);
                    } else {
                        accepted.completeExceptionally(error);
                    }
                }))) {
            initiator.queuePair = initiator
                    .device
                    .connect(listener.address(), initiatorConfig, NO_DATA, Peer.DEADLINE_NS)
                    .toCompletableFuture()
                    .get(Peer.DEADLINE_NS, TimeUnit.NANOSECONDS);
            target.queuePair = accepted.get(Peer.DEADLINE_NS, TimeUnit.NANOSECONDS);
        }
    }

    @Override
    public void close() {
        initiator.close();
        target.close();
    }
}
