// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.rdma.Access;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.PostStatus;
import io.slipstream.rdma.QueuePair;
import io.slipstream.rdma.QueuePairState;
import io.slipstream.rdma.RdmaListener;
import io.slipstream.rdma.WorkRequest;
import io.slipstream.rdma.contract.ConnectedPeers;
import io.slipstream.rdma.contract.Peer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A hostile peer gets a refused or broken connection of its own, and other connections continue. */
@NeedsRdmaDevice
@Timeout(120)
class VerbsHostilePeerTest {
    private static final int MAGIC = 0x5356;

    private VerbsFixture fixture;
    private Peer victim;
    private Peer hostile;
    private Peer honest;
    private QueuePair honestConnection;

    @BeforeEach
    void connect() throws Exception {
        fixture = new VerbsFixture();
        victim = new Peer(fixture.openDevice());
        hostile = new Peer(fixture.openDevice());
        honest = new Peer(fixture.openDevice());
        ConnectedPeers.connect(fixture, honest, honest.config(), victim, victim.config());
        honestConnection = victim.queuePair;
    }

    @AfterEach
    void close() {
        victim.close();
        hostile.close();
        honest.close();
        fixture.close();
    }

    private void connectHostile() throws Exception {
        ConnectedPeers.connect(fixture, hostile, hostile.config(), victim, victim.config());
    }

    private void assertTheHonestOneGoesOn() {
        assertThat(honestConnection.state()).isEqualTo(QueuePairState.CONNECTED);
        assertThat(honestConnection.postReceive(1)).isEqualTo(PostStatus.POSTED);
        honest.queuePair.post(honest.request(Opcode.WRITE_WITH_IMM, null, 0));
        honest.awaitCompletion(Opcode.WRITE_WITH_IMM, CompletionStatus.SUCCESS);
        victim.queuePair = honestConnection;
        victim.awaitCompletion(Opcode.RECV_WITH_IMM, CompletionStatus.SUCCESS);
    }

    private static byte[] header(int magic, int version, int length, int credits, int payload) {
        ByteBuffer data =
                ByteBuffer.allocate(PrivateData.HEADER_BYTES + payload).order(ByteOrder.LITTLE_ENDIAN);
        data.putShort((short) magic).put((byte) version).put((byte) length).putInt(credits);
        return data.array();
    }

    private static String answerTo(String address, byte[] privateData) throws Exception {
        try (ConnectionAttempt attempt = new ConnectionAttempt()) {
            attempt.request(address, privateData);
            return attempt.awaitAnswer();
        }
    }

    @Test
    void shouldRejectMalformedPrivateDataWithTheReason() throws Exception {
        try (RdmaListener listener = victim.device.listen(":0", request -> {
            throw new AssertionError("garbage became a connection request");
        })) {
            String address = listener.address();
            assertThat(answerTo(address, new byte[0])).contains("not of this protocol");
            assertThat(answerTo(address, header(0xABCD, 1, 0, 16, 0))).contains("not of this protocol");
            assertThat(answerTo(address, header(MAGIC, 99, 0, 16, 0))).contains("unknown protocol version 99");
            assertThat(answerTo(address, header(MAGIC, 1, 255, 16, 8))).contains("announces 255");
            assertThat(answerTo(address, header(MAGIC, 1, 0, 0, 0))).contains("invalid receive depth 0");
            assertThat(answerTo(address, header(MAGIC, 1, 0, -1, 0))).contains("invalid receive depth 4294967295");
        }
        assertTheHonestOneGoesOn();
    }

    @Test
    void shouldRejectNoise() throws Exception {
        long seed = Long.getLong("slipstream.seed", System.nanoTime());
        System.out.println("private data noise, seed " + seed);
        Random random = new Random(seed);
        AtomicInteger requests = new AtomicInteger();
        try (RdmaListener listener = victim.device.listen(":0", request -> {
            requests.incrementAndGet();
            request.reject("as good as noise");
        })) {
            for (int i = 0; i < 20; i++) {
                byte[] noise = new byte[random.nextInt(57)];
                random.nextBytes(noise);
                assertThat(answerTo(listener.address(), noise)).startsWith("rejected by the peer: ");
            }
        }
        assertTheHonestOneGoesOn();
    }

    @Test
    void shouldBreakTheConnectionOfAWriterWithAWrongKey() throws Exception {
        connectHostile();
        var broken = victim.queuePair;
        WorkRequest write = hostile.request(Opcode.WRITE, victim.local, 8);
        write.rkey ^= 0x5500;
        hostile.queuePair.post(write);
        hostile.awaitCompletion(Opcode.WRITE, CompletionStatus.REM_ACCESS_ERR);
        victim.awaitError();
        assertThat(broken.state()).isEqualTo(QueuePairState.ERROR);
        assertTheHonestOneGoesOn();
    }

    @Test
    void shouldBreakTheConnectionOfAWriterOutOfBounds() throws Exception {
        connectHostile();
        MemoryRegion region = victim.exported(4096, Access.REMOTE_WRITE);
        hostile.local.buffer().putLong(0, -1);
        WorkRequest write = hostile.request(Opcode.WRITE, region, 64);
        write.remoteAddress += 4096 - 63;
        hostile.queuePair.post(write);
        hostile.awaitCompletion(Opcode.WRITE, CompletionStatus.REM_ACCESS_ERR);
        victim.awaitError();
        assertThat(region.buffer().getLong(4096 - 8)).isZero();
        assertTheHonestOneGoesOn();
    }

    @Test
    void shouldBreakTheConnectionOfAWriterToWhatIsReadable() throws Exception {
        connectHostile();
        MemoryRegion region = victim.exported(4096, Access.REMOTE_READ);
        hostile.local.buffer().putLong(0, -1);
        hostile.queuePair.post(hostile.request(Opcode.WRITE, region, 64));
        hostile.awaitCompletion(Opcode.WRITE, CompletionStatus.REM_ACCESS_ERR);
        victim.awaitError();
        assertThat(region.buffer().getLong(0)).isZero();
        assertTheHonestOneGoesOn();
    }

    @Test
    void shouldBreakTheConnectionOfASenderBeyondTheReceives() throws Exception {
        connectHostile();
        victim.postReceives(1);
        hostile.queuePair.post(hostile.request(Opcode.WRITE_WITH_IMM, null, 0));
        hostile.queuePair.post(hostile.request(Opcode.WRITE_WITH_IMM, null, 0));
        hostile.awaitCompletion(Opcode.WRITE_WITH_IMM, CompletionStatus.SUCCESS);
        victim.awaitCompletion(Opcode.RECV_WITH_IMM, CompletionStatus.SUCCESS);
        hostile.awaitCompletion(Opcode.WRITE_WITH_IMM, CompletionStatus.RNR_RETRY_EXC_ERR);
        victim.awaitError();
        assertTheHonestOneGoesOn();
    }

    @Test
    void shouldBoundUnansweredRequests() throws Exception {
        List<ConnectionAttempt> flood = new ArrayList<>();
        AtomicInteger asked = new AtomicInteger();
        try (RdmaListener listener = victim.device.listen(":0", request -> asked.incrementAndGet())) {
            byte[] wellFormed = header(MAGIC, 1, 0, 16, 0);
            long startNs = System.nanoTime();
            String refused = null;
            for (int i = 0; i < VerbsListener.MAX_PENDING_REQUESTS + 8 && refused == null; i++) {
                ConnectionAttempt attempt = new ConnectionAttempt();
                flood.add(attempt);
                attempt.request(listener.address(), wellFormed);
                // The deadline frees places, so only a flood faster than the deadline meets the bound.
                if (System.nanoTime() - startNs > VerbsDevice.HANDSHAKE_DEADLINE_NS / 2) {
                    break;
                }
                if (i >= VerbsListener.MAX_PENDING_REQUESTS) {
                    refused = attempt.awaitAnswer();
                }
            }
            assertThat(flood.get(0).awaitAnswer()).contains("not answered within");
            assertThat(refused == null || refused.contains("too many"))
                    .as(refused)
                    .isTrue();
        } finally {
            for (ConnectionAttempt attempt : flood) {
                attempt.close();
            }
        }
        assertThat(asked.get()).isBetween(1, VerbsListener.MAX_PENDING_REQUESTS);
        assertTheHonestOneGoesOn();
    }
}
