// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.rdma.Access;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.ConnectionRequest;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.QueuePair;
import io.slipstream.rdma.QueuePairState;
import io.slipstream.rdma.RdmaDevice;
import io.slipstream.rdma.RdmaListener;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Listening, connecting, accepting, rejecting. */
@Timeout(60)
public abstract class ConnectionContract {
    protected abstract ProviderFixture openFixture() throws Exception;

    protected ProviderFixture fixture;
    protected Peer initiator;
    protected Peer target;

    @BeforeEach
    void open() throws Exception {
        fixture = openFixture();
        initiator = new Peer(fixture.openDevice());
        target = new Peer(fixture.openDevice());
    }

    @AfterEach
    void close() throws Exception {
        initiator.close();
        target.close();
        fixture.close();
    }

    private static ByteBuffer data(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(ByteBuffer data) {
        return StandardCharsets.UTF_8.decode(data).toString();
    }

    private QueuePair connect(String address, ByteBuffer privateData, long timeoutNs) throws Exception {
        return initiator
                .device
                .connect(address, initiator.config(), privateData, timeoutNs)
                .toCompletableFuture()
                .get(Peer.DEADLINE_NS, TimeUnit.NANOSECONDS);
    }

    @Test
    void shouldCarryPrivateData() throws Exception {
        String longest = "x".repeat(RdmaDevice.MAX_PRIVATE_DATA_BYTES);
        List<String> carried = new CopyOnWriteArrayList<>();
        CompletableFuture<QueuePair> accepted = new CompletableFuture<>();
        try (RdmaListener listener = target.device.listen(fixture.unusedAddress(), request -> {
            carried.add(text(request.privateData()));
            carried.add(text(request.privateData()));
            carried.add(String.valueOf(request.privateData().isReadOnly()));
            request.accept(target.config()).thenAccept(accepted::complete);
        })) {
            QueuePair connected = connect(listener.address(), data(longest), Peer.DEADLINE_NS);

            QueuePair other = accepted.get(Peer.DEADLINE_NS, TimeUnit.NANOSECONDS);
            assertThat(carried).as("read twice, read-only").containsExactly(longest, longest, "true");
            assertThat(connected.state()).isEqualTo(QueuePairState.CONNECTED);
            assertThat(other.errorReason()).isNull();
        }
    }

    @Test
    void shouldRefuseTooMuchPrivateData() {
        assertThatThrownBy(() -> connect(
                        fixture.unusedAddress(),
                        ByteBuffer.allocate(RdmaDevice.MAX_PRIVATE_DATA_BYTES + 1),
                        Peer.DEADLINE_NS))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldTellTheReasonOfARejection() throws Exception {
        try (RdmaListener listener =
                target.device.listen(fixture.unusedAddress(), request -> request.reject("token expired"))) {
            assertThatThrownBy(() -> connect(listener.address(), data(""), Peer.DEADLINE_NS))
                    .isInstanceOf(ExecutionException.class)
                    .cause()
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("token expired")
                    .hasMessageContaining(listener.address());
        }
    }

    @Test
    void shouldTellTheInitiatorWhenTheHandlerThrows() throws Exception {
        try (RdmaListener listener = target.device.listen(fixture.unusedAddress(), request -> {
            throw new IllegalStateException("handler broke (expected by the test)");
        })) {
            assertThatThrownBy(() -> connect(listener.address(), data(""), Peer.DEADLINE_NS))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(IOException.class);
        }
    }

    @Test
    void shouldFailAtTheDeadlineWhenNobodyAnswers() throws Exception {
        CompletableFuture<ConnectionRequest> asked = new CompletableFuture<>();
        try (RdmaListener listener = target.device.listen(fixture.unusedAddress(), asked::complete)) {
            long startNs = System.nanoTime();
            assertThatThrownBy(() -> connect(listener.address(), data(""), TimeUnit.MILLISECONDS.toNanos(300)))
                    .isInstanceOf(ExecutionException.class)
                    .cause()
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("300 ms");
            assertThat(System.nanoTime() - startNs)
                    .isBetween(TimeUnit.MILLISECONDS.toNanos(250), TimeUnit.SECONDS.toNanos(5));
            assertThat(asked).isDone();
            assertThatThrownBy(() -> asked.join()
                            .accept(target.config())
                            .toCompletableFuture()
                            .get(Peer.DEADLINE_NS, TimeUnit.NANOSECONDS))
                    .hasCauseInstanceOf(IOException.class);
        }
    }

    @Test
    void shouldFailWhereNobodyListens() throws Exception {
        String address = fixture.unusedAddress();
        assertThatThrownBy(() -> connect(address, data(""), Peer.DEADLINE_NS))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOf(IOException.class)
                .hasMessageContaining(address);
    }

    @Test
    void shouldKeepConnectionsWhenTheListenerCloses() throws Exception {
        ConnectedPeers.connect(fixture, initiator, initiator.config(), target, target.config());
        target.postReceives(1);
        initiator.queuePair.post(initiator.request(Opcode.WRITE_WITH_IMM, null, 0));
        target.awaitCompletion();
        assertThat(initiator.queuePair.state()).isEqualTo(QueuePairState.CONNECTED);
    }

    @Test
    void shouldRefuseAnAddressThatIsInUse() throws Exception {
        try (RdmaListener listener = target.device.listen(fixture.unusedAddress(), request -> {})) {
            assertThatThrownBy(() -> initiator.device.listen(listener.address(), request -> {}))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(listener.address());
        }
        target.device.listen(fixture.unusedAddress(), request -> {}).close();
    }

    @Test
    void shouldRefuseQueuePairsThatTheCompletionQueueCannotHold() throws Exception {
        try (Peer small = new Peer(fixture.openDevice(), 10)) {
            assertThatThrownBy(() -> small.device.connect(
                            fixture.unusedAddress(), small.config(8, 8), data(""), Peer.DEADLINE_NS))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("capacity");
        }
    }

    @Test
    void shouldRefuseToExportAnotherDomainsRegion() throws Exception {
        ConnectedPeers.connect(fixture, initiator, initiator.config(), target, target.config());
        MemoryRegion foreign = initiator.device.createProtectionDomain().allocate(64, Set.of());
        assertThatThrownBy(() -> initiator.queuePair.export(foreign)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldFailAnExportWhenTheConnectionEnds() throws Exception {
        ConnectedPeers.connect(fixture, initiator, initiator.config(), target, target.config());
        MemoryRegion region = target.region(64);
        target.queuePair.disconnect("over");
        assertThatThrownBy(() -> target.export(region))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(IOException.class);
    }

    @Test
    void shouldExportTheSameRegionTwice() throws Exception {
        ConnectedPeers.connect(fixture, initiator, initiator.config(), target, target.config());
        MemoryRegion region = target.exported(64, Access.REMOTE_READ);
        target.export(region);
    }

    @Test
    void shouldReuseTheResourcesOfManyConnections() throws Exception {
        for (int i = 0; i < Rounds.of(100); i++) {
            ConnectedPeers.connect(fixture, initiator, initiator.config(), target, target.config());
            MemoryRegion region = target.exported(4096, Access.REMOTE_READ);
            initiator.queuePair.post(initiator.request(Opcode.READ, region, 4096));
            initiator.awaitCompletion(Opcode.READ, CompletionStatus.SUCCESS);
            initiator.queuePair.close();
            target.queuePair.close();
            region.close();
            assertThat(target.queuePair.state()).isEqualTo(QueuePairState.CLOSED);
        }
        assertThat(target.device.registeredBytes()).isEqualTo(target.local.lengthBytes());
    }
}
