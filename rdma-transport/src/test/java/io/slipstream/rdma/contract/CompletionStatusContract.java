// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.rdma.Access;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.PostStatus;
import io.slipstream.rdma.QueuePair;
import io.slipstream.rdma.QueuePairConfig;
import io.slipstream.rdma.QueuePairState;
import io.slipstream.rdma.WorkCompletion;
import io.slipstream.rdma.WorkRequest;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The status of requests that must not succeed. Afterwards both ends are in error, and no byte has changed. */
@Timeout(60)
public abstract class CompletionStatusContract {
    protected abstract ProviderFixture openFixture() throws Exception;

    protected ProviderFixture fixture;
    protected Peer initiator;
    protected Peer target;
    private ConnectedPeers peers;

    @BeforeEach
    void connect() throws Exception {
        fixture = openFixture();
        peers = new ConnectedPeers(fixture);
        initiator = peers.initiator;
        target = peers.target;
    }

    @AfterEach
    void disconnect() throws Exception {
        peers.close();
        fixture.close();
    }

    protected final void assertFails(WorkRequest request, CompletionStatus status) {
        assertThat(initiator.queuePair.post(request)).isEqualTo(PostStatus.POSTED);
        WorkCompletion completion = initiator.awaitCompletion(request.opcode, status);
        assertThat(completion.wrId).isEqualTo(request.wrId);
        assertBothEnded();
    }

    private void assertBothEnded() {
        initiator.awaitError();
        target.awaitError();
        assertThat(initiator.queuePair.errorReason()).isNotBlank();
        assertThat(initiator.queuePair.post(initiator.request(Opcode.WRITE, null, 0)))
                .isEqualTo(PostStatus.NOT_CONNECTED);
        initiator.awaitDisconnect();
        target.awaitDisconnect();
        assertThat(initiator.disconnects).hasValue(1);
        assertThat(target.disconnects).hasValue(1);
    }

    @Test
    void shouldRefuseAnUnknownKey() throws Exception {
        WorkRequest write = initiator.request(Opcode.WRITE, null, 8);
        write.rkey = 0x1234567;
        assertFails(write, CompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void shouldReportFailuresOfUnsignaledRequestsToo() throws Exception {
        WorkRequest write = initiator.request(Opcode.WRITE, null, 8);
        write.rkey = 0x1234567;
        write.signaled = false;
        assertFails(write, CompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void shouldRefuseARegionOfAnotherDomain() throws Exception {
        MemoryRegion secret = target.device.createProtectionDomain().allocate(64, Set.of(Access.REMOTE_READ));
        assertFails(initiator.request(Opcode.READ, secret, 8), CompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void shouldRefuseARegionThatWasExportedInAnotherDomain() throws Exception {
        MemoryRegion granted = target.exported(64, Access.REMOTE_READ);
        QueuePairConfig elsewhere = new QueuePairConfig(
                target.device.createProtectionDomain(), target.completions, Peer.DEPTH, Peer.DEPTH, (ended, why) -> {});
        try (Peer stranger = new Peer(fixture.openDevice())) {
            var first = target.queuePair;
            ConnectedPeers.connect(fixture, stranger, stranger.config(), target, elsewhere);
            target.queuePair = first;
            stranger.queuePair.post(stranger.request(Opcode.READ, granted, 8));
            stranger.awaitCompletion(Opcode.READ, CompletionStatus.REM_ACCESS_ERR);
        }
        initiator.queuePair.post(initiator.request(Opcode.READ, granted, 8));
        initiator.awaitCompletion(Opcode.READ, CompletionStatus.SUCCESS);
    }

    @ParameterizedTest
    @EnumSource(
            value = Opcode.class,
            names = {"WRITE", "READ", "WRITE_WITH_IMM"})
    void shouldRefuseTheByteBehindTheRegion(Opcode opcode) throws Exception {
        MemoryRegion remote = target.exported(4000, Access.REMOTE_READ, Access.REMOTE_WRITE);
        target.postReceives(1);
        WorkRequest request = initiator.request(opcode, remote, 8);
        request.remoteAddress += 3993;
        assertFails(request, CompletionStatus.REM_ACCESS_ERR);
        // Some devices let the refused request consume the receive.
        assertThat(target.awaitCompletion().status)
                .isIn(CompletionStatus.WR_FLUSH_ERR, CompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void shouldRefuseTheByteBeforeTheRegion() throws Exception {
        MemoryRegion remote = target.exported(4096, Access.REMOTE_READ);
        WorkRequest read = initiator.request(Opcode.READ, remote, 8);
        read.remoteAddress -= 1;
        assertFails(read, CompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void shouldRefuseAddressesThatOverflow() throws Exception {
        MemoryRegion remote = target.exported(4096, Access.REMOTE_WRITE);
        WorkRequest write = initiator.request(Opcode.WRITE, remote, 8);
        write.remoteAddress = Long.MIN_VALUE;
        assertFails(write, CompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void shouldRefuseToWriteWhatIsOnlyReadable() throws Exception {
        MemoryRegion remote = target.exported(64, Access.REMOTE_READ);
        initiator.local.buffer().put(0, (byte) 1);
        assertFails(initiator.request(Opcode.WRITE, remote, 8), CompletionStatus.REM_ACCESS_ERR);
        assertThat(remote.buffer().get(0)).isZero();
    }

    @Test
    void shouldRefuseToReadWhatIsOnlyWritable() throws Exception {
        MemoryRegion remote = target.exported(64, Access.REMOTE_WRITE);
        assertFails(initiator.request(Opcode.READ, remote, 8), CompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void shouldRefuseARevokedRegion() throws Exception {
        MemoryRegion remote = target.exported(64, Access.REMOTE_WRITE);
        initiator.queuePair.post(initiator.request(Opcode.WRITE, remote, 8));
        initiator.awaitCompletion(Opcode.WRITE, CompletionStatus.SUCCESS);

        assertThat(remote.deregister(Peer.DEADLINE_NS)).isTrue();

        assertThat(remote.isRegistered()).isFalse();
        initiator.local.buffer().put(0, (byte) 1);
        assertFails(initiator.request(Opcode.WRITE, remote, 8), CompletionStatus.REM_ACCESS_ERR);
        assertThat(remote.buffer().get(0)).isZero();
    }

    @Test
    void shouldFenceAllQueuePairsOfADomain() throws Exception {
        MemoryRegion remote = target.region(64, Access.REMOTE_WRITE);
        QueuePair first = target.queuePair;
        target.export(remote);
        try (Peer second = new Peer(fixture.openDevice())) {
            ConnectedPeers.connect(fixture, second, second.config(), target, target.config());
            target.export(remote);
            second.queuePair.post(second.request(Opcode.WRITE, remote, 8));
            second.awaitCompletion(Opcode.WRITE, CompletionStatus.SUCCESS);

            byte written = remote.buffer().get(0);
            assertThat(remote.deregister(Peer.DEADLINE_NS)).isTrue();
            initiator.local.buffer().put(0, (byte) (written + 1));
            second.local.buffer().put(0, (byte) (written + 1));

            second.queuePair.post(second.request(Opcode.WRITE, remote, 8));
            second.awaitCompletion(Opcode.WRITE, CompletionStatus.REM_ACCESS_ERR);
            target.queuePair.close();
            target.queuePair = first;
            initiator.queuePair.post(initiator.request(Opcode.WRITE, remote, 8));
            initiator.awaitCompletion(Opcode.WRITE, CompletionStatus.REM_ACCESS_ERR);
            assertThat(remote.buffer().get(0)).isEqualTo(written);
        }
    }

    /** A thread that still reads when everything is closed finds bytes there, not a missing page. */
    @Test
    void shouldKeepTheBufferForLateReaders() throws Exception {
        MemoryRegion remote = target.exported(4096, Access.REMOTE_WRITE);
        remote.buffer().put(4095, (byte) 'x');
        ByteBuffer late = remote.buffer().slice();
        peers.close();
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        assertThat(late.get(4095)).isEqualTo((byte) 'x');
        late.put(0, (byte) 'z');
        assertThat(late.get(0)).isEqualTo((byte) 'z');
    }

    @Test
    void shouldRefuseARevokedFile(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("segment"), "some bytes");
        MemoryRegion remote = target.domain.registerFile(file, 0, 10);
        target.export(remote);
        assertThat(remote.deregister(Peer.DEADLINE_NS)).isTrue();
        assertFails(initiator.request(Opcode.READ, remote, 8), CompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void shouldRefuseToReadBeyondTheRegionOfAFile(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("segment"), "some bytes");
        MemoryRegion remote = target.domain.registerFile(file, 0, 1000);
        target.export(remote);
        WorkRequest read = initiator.request(Opcode.READ, remote, 8);
        read.remoteAddress += remote.lengthBytes() - 7;
        assertFails(read, CompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void shouldRefuseLocalMemoryThatItsKeyDoesNotCover() throws Exception {
        MemoryRegion remote = target.exported(64, Access.REMOTE_WRITE);
        WorkRequest write = initiator.request(Opcode.WRITE, remote, 0);
        write.addSegment(initiator.local.lkey(), initiator.local.address() + initiator.local.lengthBytes() - 4, 8);
        assertFails(write, CompletionStatus.LOC_PROT_ERR);
    }

    @Test
    void shouldRefuseLocalMemoryThatIsNotRegisteredAnyMore() throws Exception {
        MemoryRegion remote = target.exported(64, Access.REMOTE_WRITE);
        MemoryRegion gone = initiator.region(64);
        gone.close();
        WorkRequest write = initiator.request(Opcode.WRITE, remote, 0);
        write.addSegment(gone.lkey(), gone.address(), 8);
        assertFails(write, CompletionStatus.LOC_PROT_ERR);
    }

    @Test
    void shouldNotPostMalformedRequests() throws Exception {
        MemoryRegion remote = target.exported(64, Access.REMOTE_WRITE);
        WorkRequest negative = initiator.request(Opcode.WRITE, remote, 0);
        negative.addSegment(initiator.local.lkey(), initiator.local.address(), -1);
        assertThat(initiator.queuePair.post(negative)).isEqualTo(PostStatus.INVALID_REQUEST);
        WorkRequest reply = initiator.request(Opcode.RECV, remote, 8);
        assertThat(initiator.queuePair.post(reply)).isEqualTo(PostStatus.INVALID_REQUEST);
        assertThat(initiator.queuePair.state()).isEqualTo(QueuePairState.CONNECTED);
        initiator.assertNoCompletion();
    }

    @Test
    void shouldFlushWhatIsOutstandingWhenDisconnected() throws Exception {
        target.postReceives(3);
        initiator.postReceives(2);

        target.queuePair.disconnect("enough");

        for (int i = 0; i < 3; i++) {
            assertThat(target.awaitCompletion(Opcode.RECV, CompletionStatus.WR_FLUSH_ERR).wrId)
                    .isEqualTo(i);
        }
        for (int i = 0; i < 2; i++) {
            assertThat(initiator.awaitCompletion(Opcode.RECV, CompletionStatus.WR_FLUSH_ERR).wrId)
                    .isEqualTo(i);
        }
        assertThat(target.queuePair.errorReason()).contains("enough");
        assertThat(target.queuePair.postReceive(9)).isEqualTo(PostStatus.NOT_CONNECTED);
        target.queuePair.disconnect("again");
        assertBothEnded();
        target.assertNoCompletion();
        initiator.assertNoCompletion();
    }

    @Test
    void shouldDeliverWhatArrivedBeforeTheEnd() throws Exception {
        MemoryRegion remote = target.exported(64, Access.REMOTE_WRITE);
        target.postReceives(2);
        initiator.local.buffer().put(0, (byte) 9);
        initiator.queuePair.post(initiator.request(Opcode.WRITE_WITH_IMM, remote, 8));
        initiator.awaitCompletion(Opcode.WRITE_WITH_IMM, CompletionStatus.SUCCESS);
        initiator.queuePair.close();
        target.awaitError();

        target.awaitCompletion(Opcode.RECV_WITH_IMM, CompletionStatus.SUCCESS);
        assertThat(remote.buffer().get(0)).isEqualTo((byte) 9);
        target.awaitCompletion(Opcode.RECV, CompletionStatus.WR_FLUSH_ERR);
    }

    @Test
    void shouldTellAPeerThatThisDeviceWasClosed() throws Exception {
        initiator.postReceives(1);
        target.close();
        initiator.awaitError();
        initiator.awaitCompletion(Opcode.RECV, CompletionStatus.WR_FLUSH_ERR);
        initiator.awaitDisconnect();
        assertThat(initiator.disconnectReason.get()).isNotBlank();
    }
}
