// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.rdma.Access;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.QueuePairState;
import io.slipstream.rdma.contract.ConnectedPeers;
import io.slipstream.rdma.contract.Peer;
import io.slipstream.rdma.provider.OwnerActivity;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A peer that writes invalid values into the memory that it may write ends only its own queue pair. */
@Timeout(60)
class ShmHostilePeerTest {
    /** Another ring size than the other queue pairs', so that this inbox is found by its size. */
    private static final int VICTIM_RECEIVE_DEPTH = 128;

    private ShmFixture fixture;
    private Peer victim;
    private Peer hostile;
    private Peer honest;

    @BeforeEach
    void connect() throws Exception {
        fixture = new ShmFixture();
        victim = new Peer(fixture.openDevice());
        hostile = new Peer(fixture.openDevice());
        honest = new Peer(fixture.openDevice());
    }

    @AfterEach
    void close() throws Exception {
        victim.close();
        hostile.close();
        honest.close();
        fixture.close();
    }

    private void connectBoth() throws Exception {
        ConnectedPeers.connect(fixture, honest, honest.config(), victim, victim.config());
        var honestConnection = victim.queuePair;
        ConnectedPeers.connect(
                fixture, hostile, hostile.config(), victim, victim.config(Peer.DEPTH, VICTIM_RECEIVE_DEPTH));
        honestConnection.postReceive(1);
    }

    private void assertOnlyTheHostileQueuePairEnded() {
        assertThat(victim.queuePair.state()).isEqualTo(QueuePairState.ERROR);
        hostile.awaitError();
        assertThat(honest.queuePair.state()).isEqualTo(QueuePairState.CONNECTED);
        honest.queuePair.post(honest.request(Opcode.WRITE_WITH_IMM, null, 0));
        honest.awaitCompletion(Opcode.WRITE_WITH_IMM, CompletionStatus.SUCCESS);
        assertThat(victim.awaitCompletion().status).isEqualTo(CompletionStatus.SUCCESS);
    }

    private static void forgeRecord(RandomAccessFile inbox, int opcode, int byteLen) throws IOException {
        ByteBuffer record = ByteBuffer.allocate(InboxLayout.RECORD_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        record.putLong(InboxLayout.SEQUENCE, 1).putInt(InboxLayout.OPCODE, opcode);
        record.putInt(InboxLayout.BYTE_LEN, byteLen);
        inbox.seek(InboxLayout.ringOffset(InboxLayout.ringRecords(VICTIM_RECEIVE_DEPTH)));
        inbox.write(record.array());
    }

    @ParameterizedTest(name = "opcode {0}, {1} bytes")
    @CsvSource({
        "99, 0", // no such operation
        "-1, 0",
        "0, 8", // a WRITE never has a record
        "1, -1", // WRITE_WITH_IMM of a negative length
        "1, -2147483648",
        "5, 8", // SEND, which earlier releases had
    })
    void shouldEndOnAnImpossibleRecord(int opcode, int byteLen) throws Exception {
        connectBoth();
        victim.postReceives(1);

        SharedFiles.attack(SharedFiles.inboxBytes(VICTIM_RECEIVE_DEPTH), inbox -> forgeRecord(inbox, opcode, byteLen));

        victim.awaitCompletion(Opcode.RECV, CompletionStatus.WR_FLUSH_ERR);
        assertOnlyTheHostileQueuePairEnded();
    }

    @Test
    void shouldEndOnARecordWithoutAReceive() throws Exception {
        connectBoth();
        SharedFiles.attack(
                SharedFiles.inboxBytes(VICTIM_RECEIVE_DEPTH),
                inbox -> forgeRecord(inbox, Opcode.WRITE_WITH_IMM.ordinal(), 0));
        victim.assertNoCompletion();
        assertOnlyTheHostileQueuePairEnded();
    }

    @Test
    void shouldSurviveNoiseInAllSharedMemory() throws Exception {
        connectBoth();
        victim.postReceives(4);
        SharedFiles.attack(SharedFiles.inboxBytes(VICTIM_RECEIVE_DEPTH), inbox -> {
            byte[] noise = new byte[(int) inbox.length()];
            java.util.Arrays.fill(noise, (byte) 0xA5);
            inbox.write(noise);
        });
        // The sequence does not match, so no record has arrived. The queue pair stays connected.
        victim.assertNoCompletion();
        victim.queuePair.disconnect("enough");
        assertThat(victim.awaitCompletion().status).isEqualTo(CompletionStatus.WR_FLUSH_ERR);
        hostile.awaitError();
    }

    /** Like a peer that was stopped in the middle of an operation on that region. */
    private OwnerActivity stopPeerInsideAnOperation() throws Exception {
        OwnerActivity stopped = ((ShmCompletionQueue) hostile.completions).activity;
        stopped.enter();
        SharedFiles.attack(SharedFiles.inboxBytes(VICTIM_RECEIVE_DEPTH), inbox -> {
            inbox.seek(InboxLayout.OPERATIONS);
            inbox.write(7);
        });
        return stopped;
    }

    private void awaitRegisteredBytes(long expected) {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (victim.device.registeredBytes() != expected) {
            assertThat(System.nanoTime()).isLessThan(deadlineNs);
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldQuarantineMemoryUntilThePeerLetsGo() throws Exception {
        connectBoth();
        MemoryRegion region = victim.exported(4096, Access.REMOTE_WRITE);
        long registered = victim.device.registeredBytes();
        OwnerActivity stopped = stopPeerInsideAnOperation();

        assertThat(region.deregister(TimeUnit.MILLISECONDS.toNanos(50))).isFalse();

        assertThat(region.isRegistered()).isFalse();
        assertThat(region.deregister(0)).isFalse();
        assertThat(victim.device.registeredBytes()).isEqualTo(registered);
        stopped.leave();
        awaitRegisteredBytes(registered - 4096);
        assertThat(region.deregister(0)).isTrue();
        hostile.queuePair.post(hostile.request(Opcode.WRITE, region, 8));
        hostile.awaitCompletion(Opcode.WRITE, CompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void shouldReleaseQuarantinedMemoryWhenThePeerEnds() throws Exception {
        connectBoth();
        MemoryRegion region = victim.exported(4096, Access.REMOTE_WRITE);
        long registered = victim.device.registeredBytes();
        stopPeerInsideAnOperation();
        assertThat(region.deregister(TimeUnit.MILLISECONDS.toNanos(10))).isFalse();

        hostile.device.close();

        awaitRegisteredBytes(registered - 4096);
    }
}
