// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.rdma.Access;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.PostStatus;
import io.slipstream.rdma.WorkCompletion;
import io.slipstream.rdma.WorkRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The effects of each operation, and their order. */
@Timeout(60)
public abstract class OperationsContract {
    protected abstract ProviderFixture openFixture() throws Exception;

    private ProviderFixture fixture;
    private ConnectedPeers peers;
    protected Peer initiator;
    protected Peer target;

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

    private static byte[] bytes(MemoryRegion region, int offset, int length) {
        byte[] bytes = new byte[length];
        region.buffer().get(offset, bytes);
        return bytes;
    }

    @Test
    void shouldWriteWithoutTheTargetsKnowledge() throws Exception {
        MemoryRegion remote = target.exported(4096, Access.REMOTE_WRITE);
        target.postReceives(1);
        initiator.local.buffer().put(0, "one-sided".getBytes(StandardCharsets.UTF_8));

        WorkRequest write = initiator.request(Opcode.WRITE, remote, 9);
        write.remoteAddress += 100;
        assertThat(initiator.queuePair.post(write)).isEqualTo(PostStatus.POSTED);

        WorkCompletion completion = initiator.awaitCompletion(Opcode.WRITE, CompletionStatus.SUCCESS);
        assertThat(completion.wrId).isEqualTo(write.wrId);
        assertThat(bytes(remote, 100, 9)).isEqualTo("one-sided".getBytes(StandardCharsets.UTF_8));
        assertThat(bytes(remote, 99, 1)).containsOnly(0);
        assertThat(bytes(remote, 109, 1)).containsOnly(0);
        target.assertNoCompletion();
    }

    @Test
    void shouldGatherSegmentsIntoOneWrite() throws Exception {
        MemoryRegion remote = target.exported(64, Access.REMOTE_WRITE);
        initiator.local.buffer().put(0, "abcdefghij".getBytes(StandardCharsets.UTF_8));
        long base = initiator.local.address();
        int lkey = initiator.local.lkey();

        WorkRequest write = initiator.request(Opcode.WRITE, remote, 0);
        write.addSegment(lkey, base + 8, 2).addSegment(lkey, base, 3).addSegment(lkey, base + 5, 0);
        write.addSegment(lkey, base + 5, 1);
        initiator.queuePair.post(write);

        initiator.awaitCompletion(Opcode.WRITE, CompletionStatus.SUCCESS);
        assertThat(bytes(remote, 0, 6)).isEqualTo("ijabcf".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void shouldReadIntoScatteredSegments() throws Exception {
        MemoryRegion remote = target.exported(64, Access.REMOTE_READ);
        remote.buffer().put(10, "0123456789".getBytes(StandardCharsets.UTF_8));
        long base = initiator.local.address();
        int lkey = initiator.local.lkey();

        WorkRequest read = initiator.request(Opcode.READ, remote, 0);
        read.remoteAddress += 10;
        read.addSegment(lkey, base + 100, 4).addSegment(lkey, base, 6);
        initiator.queuePair.post(read);

        WorkCompletion completion = initiator.awaitCompletion(Opcode.READ, CompletionStatus.SUCCESS);
        assertThat(completion.byteLen).isEqualTo(10);
        assertThat(bytes(initiator.local, 100, 4)).isEqualTo("0123".getBytes(StandardCharsets.UTF_8));
        assertThat(bytes(initiator.local, 0, 6)).isEqualTo("456789".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void shouldReadAListInOrderAndReportItOnce() throws Exception {
        MemoryRegion remote = target.exported(64, Access.REMOTE_READ);
        remote.buffer().put(10, "0123456789".getBytes(StandardCharsets.UTF_8));

        WorkRequest first = listOfReads(remote);
        assertThat(initiator.queuePair.post(first)).isEqualTo(PostStatus.POSTED);

        WorkCompletion completion = initiator.awaitCompletion(Opcode.READ, CompletionStatus.SUCCESS);
        assertThat(completion.wrId).isEqualTo(first.next.next.wrId);
        // Each into the same place: the last one wins.
        assertThat(bytes(initiator.local, 0, 4)).isEqualTo("4567".getBytes(StandardCharsets.UTF_8));
        initiator.assertNoCompletion();
    }

    @Test
    void shouldReportTheFailedRequestOfAListAndFlushTheRest() throws Exception {
        MemoryRegion remote = target.exported(64, Access.REMOTE_READ);
        WorkRequest first = listOfReads(remote);
        first.next.remoteAddress += 64;

        assertThat(initiator.queuePair.post(first)).isEqualTo(PostStatus.POSTED);

        WorkCompletion failed = initiator.awaitCompletion(Opcode.READ, CompletionStatus.REM_ACCESS_ERR);
        assertThat(failed.wrId).isEqualTo(first.next.wrId);
        WorkCompletion flushed = initiator.awaitCompletion(Opcode.READ, CompletionStatus.WR_FLUSH_ERR);
        assertThat(flushed.wrId).isEqualTo(first.next.next.wrId);
    }

    /** Three READs of 4 bytes, from 10, 12 and 14 on, into the start of the local memory. The last one is signaled. */
    private WorkRequest listOfReads(MemoryRegion remote) {
        WorkRequest next = null;
        for (int place = 2; place >= 0; place--) {
            WorkRequest read = new WorkRequest();
            read.wrId = 100L + place;
            read.opcode = Opcode.READ;
            read.signaled = place == 2;
            read.remoteAddress = remote.address() + 10 + 2L * place;
            read.rkey = remote.rkey();
            read.addSegment(initiator.local.lkey(), initiator.local.address(), 4);
            read.next = next;
            next = read;
        }
        return next;
    }

    @Test
    void shouldUseTheLastByteOfARegion() throws Exception {
        MemoryRegion remote = target.exported(4096, Access.REMOTE_WRITE, Access.REMOTE_READ);

        WorkRequest whole = initiator.request(Opcode.WRITE, remote, 4096);
        initiator.queuePair.post(whole);
        initiator.awaitCompletion(Opcode.WRITE, CompletionStatus.SUCCESS);
        WorkRequest last = initiator.request(Opcode.READ, remote, 1);
        last.remoteAddress += 4095;
        initiator.queuePair.post(last);

        initiator.awaitCompletion(Opcode.READ, CompletionStatus.SUCCESS);
    }

    @Test
    void shouldDeliverImmediateDataAndLength() throws Exception {
        MemoryRegion remote = target.exported(4096, Access.REMOTE_WRITE);
        assertThat(target.queuePair.postReceive(77)).isZero();

        WorkRequest write = initiator.request(Opcode.WRITE_WITH_IMM, remote, 1000);
        write.imm = 0xCAFEBABE;
        initiator.queuePair.post(write);

        initiator.awaitCompletion(Opcode.WRITE_WITH_IMM, CompletionStatus.SUCCESS);
        WorkCompletion received = target.awaitCompletion(Opcode.RECV_WITH_IMM, CompletionStatus.SUCCESS);
        assertThat(received.wrId).isEqualTo(77);
        assertThat(received.imm).isEqualTo(0xCAFEBABE);
        assertThat(received.byteLen).isEqualTo(1000);
    }

    @Test
    void shouldSendAnEmptyWriteWithImmWithoutARegion() {
        target.postReceives(1);

        WorkRequest doorbell = initiator.request(Opcode.WRITE_WITH_IMM, null, 0);
        doorbell.imm = 5;
        initiator.queuePair.post(doorbell);

        initiator.awaitCompletion(Opcode.WRITE_WITH_IMM, CompletionStatus.SUCCESS);
        WorkCompletion received = target.awaitCompletion(Opcode.RECV_WITH_IMM, CompletionStatus.SUCCESS);
        assertThat(received.imm).isEqualTo(5);
        assertThat(received.byteLen).isZero();
    }

    @Test
    void shouldShowAWriteBeforeTheImmediateThatFollowsIt() throws Exception {
        MemoryRegion remote = target.exported(64 * 1024, Access.REMOTE_WRITE);
        int messages = Rounds.of(2000);
        int length = 32 * 1024;
        target.postReceives(Peer.DEPTH);
        for (int i = 1; i <= messages; i++) {
            initiator.local.buffer().putInt(0, i).putInt(length - 4, i);
            WorkRequest write = initiator.request(Opcode.WRITE, remote, length);
            write.signaled = false;
            assertThat(initiator.queuePair.post(write)).isEqualTo(PostStatus.POSTED);
            WorkRequest bell = initiator.request(Opcode.WRITE_WITH_IMM, null, 0);
            bell.imm = i;
            assertThat(initiator.queuePair.post(bell)).isEqualTo(PostStatus.POSTED);

            WorkCompletion received = target.awaitCompletion(Opcode.RECV_WITH_IMM, CompletionStatus.SUCCESS);
            assertThat(received.imm).isEqualTo(i);
            assertThat(remote.buffer().getInt(0)).isEqualTo(i);
            assertThat(remote.buffer().getInt(length - 4)).isEqualTo(i);
            target.postReceives(1);
            initiator.awaitCompletion(Opcode.WRITE_WITH_IMM, CompletionStatus.SUCCESS);
        }
    }

    @Test
    void shouldCompleteSignaledRequestsOnlyAndInOrder() throws Exception {
        MemoryRegion remote = target.exported(64, Access.REMOTE_WRITE);
        for (int i = 0; i < 10; i++) {
            WorkRequest write = initiator.request(Opcode.WRITE, remote, 8);
            write.wrId = i;
            write.signaled = i % 3 == 0;
            assertThat(initiator.queuePair.post(write)).isEqualTo(PostStatus.POSTED);
        }

        for (int i = 0; i < 10; i += 3) {
            assertThat(initiator.awaitCompletion(Opcode.WRITE, CompletionStatus.SUCCESS).wrId)
                    .isEqualTo(i);
        }
        initiator.assertNoCompletion();
    }

    @Test
    void shouldReadAFileThatGrowsAndIsRenamed(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("00000000.log"), "first ");
        MemoryRegion remote = target.domain.registerFile(file, 0, 1 << 30);
        target.export(remote);

        Files.writeString(file, "second", StandardOpenOption.APPEND);
        Files.move(file, directory.resolve("00000000.log.deleted"));
        initiator.queuePair.post(initiator.request(Opcode.READ, remote, 12));

        assertThat(initiator.awaitCompletion(Opcode.READ, CompletionStatus.SUCCESS).byteLen)
                .isEqualTo(12);
        assertThat(bytes(initiator.local, 0, 12)).isEqualTo("first second".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void shouldReadTheRegisteredPartOfAFile(@TempDir Path directory) throws Exception {
        byte[] contents = new byte[3 * 4096];
        new Random(7).nextBytes(contents);
        Path file = Files.write(directory.resolve("00000000.log"), contents);
        MemoryRegion remote = target.domain.registerFile(file, 4096, 4096);
        target.export(remote);

        WorkRequest read = initiator.request(Opcode.READ, remote, 100);
        read.remoteAddress += 50;
        initiator.queuePair.post(read);

        initiator.awaitCompletion(Opcode.READ, CompletionStatus.SUCCESS);
        assertThat(bytes(initiator.local, 0, 100)).isEqualTo(Arrays.copyOfRange(contents, 4146, 4246));
        assertThat(remote.lengthBytes()).isEqualTo(4096);
        read.remoteAddress = remote.address() - 1;
        initiator.queuePair.post(read);
        initiator.awaitCompletion(Opcode.READ, CompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void shouldCountWhatItDid() throws Exception {
        MemoryRegion remote = target.exported(4096, Access.REMOTE_WRITE);
        target.postReceives(2);
        for (int i = 0; i < 2; i++) {
            initiator.queuePair.post(initiator.request(Opcode.WRITE_WITH_IMM, remote, 100));
            initiator.awaitCompletion(Opcode.WRITE_WITH_IMM, CompletionStatus.SUCCESS);
            target.awaitCompletion(Opcode.RECV_WITH_IMM, CompletionStatus.SUCCESS);
        }

        assertThat(initiator.device.counters().operations(Opcode.WRITE_WITH_IMM))
                .isEqualTo(2);
        assertThat(initiator.device.counters().bytes(Opcode.WRITE_WITH_IMM)).isEqualTo(200);
        assertThat(target.device.counters().operations(Opcode.RECV_WITH_IMM)).isEqualTo(2);
        assertThat(target.device.counters().bytes(Opcode.RECV_WITH_IMM)).isEqualTo(200);
        assertThat(target.device.registeredBytes())
                .isEqualTo(4096 + target.local.lengthBytes())
                .isEqualTo(target.domain.registeredBytes());
    }
}
