// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.epoll.Native;
import io.netty.channel.unix.FileDescriptor;
import io.slipstream.rdma.FileRegistration;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every native against a device of a real kernel. Runs inside the Soft-RoCE machine, whose variables name device and
 * addresses. Its name keeps it out of other runs.
 */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class NativeVerbsInMachine {
    private static final String DEVICE = System.getenv("SLIPSTREAM_RDMA_DEVICE");
    private static final String NETDEV = System.getenv("SLIPSTREAM_RDMA_NETDEV");
    private static final int SUCCESS = 0;
    private static final int FLUSHED = 5;
    private static final int REMOTE_ACCESS_ERROR = 10;
    private static final int RECEIVED_WITH_IMM = 129;

    private static final NativeCalls CALLS = new NativeCalls();
    private final NativeVerbs natives = CALLS.verbs();

    @AfterAll
    static void everyNativeWasCalled() {
        assertThat(CALLS.notCalled()).isEmpty();
    }

    static List<InetAddress> addresses() throws IOException {
        InetAddress linkLocal = NetworkInterface.getByName(NETDEV)
                .inetAddresses()
                .filter(InetAddress::isLinkLocalAddress)
                .findFirst()
                .orElseThrow();
        return List.of(v4(), InetAddress.getByName(System.getenv("SLIPSTREAM_RDMA_ADDRESS6")), linkLocal);
    }

    private static InetAddress v4() throws IOException {
        return InetAddress.getByName(System.getenv("SLIPSTREAM_RDMA_ADDRESS"));
    }

    @ParameterizedTest
    @MethodSource("addresses")
    void shouldDoEveryOperation(InetAddress address) throws IOException {
        try (NativePeers peers = new NativePeers(natives, address)) {
            peers.connect();
            NativeEnd client = peers.client;
            NativeEnd server = peers.server;
            assertThat(natives.contextOf(server.id)).isEqualTo(natives.contextOf(client.id));
            assertThat(natives.deviceName(client.context)).isEqualTo(DEVICE);

            client.memory.putLong(NativeEnd.DATA, 0x1122334455667788L);
            assertThat(client.post(NativeEnd.WRITE, 8, 0, server)).isZero();
            assertThat(client.awaitCompletion()).isEqualTo(SUCCESS);
            assertThat(client.completedId()).isEqualTo(NativeEnd.WRITE);
            assertThat(client.completedQueuePair()).isEqualTo(natives.queuePairNumber(client.queuePair));
            assertThat(server.memory.getLong(NativeEnd.DATA)).isEqualTo(0x1122334455667788L);

            assertThat(server.postReceive()).isZero();
            assertThat(client.post(NativeEnd.WRITE_WITH_IMM, 0, 0xCAFE, server)).isZero();
            assertThat(client.awaitCompletion()).isEqualTo(SUCCESS);
            assertThat(server.awaitCompletion()).isEqualTo(SUCCESS);
            assertThat(server.completedId()).isEqualTo(77);
            assertThat(server.completedOpcode()).isEqualTo(RECEIVED_WITH_IMM);
            assertThat(server.completedImm()).isEqualTo(0xCAFE);

            server.memory.putLong(NativeEnd.DATA, 42);
            assertThat(client.post(NativeEnd.READ, 8, 0, server)).isZero();
            assertThat(client.awaitCompletion()).isEqualTo(SUCCESS);
            assertThat(client.memory.getLong(NativeEnd.DATA)).isEqualTo(42);

            natives.disconnect(client.id);
            peers.await(peers.serverChannel, CmEvent.DISCONNECTED);
        }
    }

    @Test
    void shouldWakeByCompletionChannelAndWakeDescriptor() throws Exception {
        FileDescriptor wake = Native.newEventFd();
        try (NativePeers peers = new NativePeers(natives, v4())) {
            peers.connect();
            natives.setMinRnrTimer(peers.server.queuePair, 1);
            assertThat(peers.server.postReceive()).isZero();
            natives.requestNotify(peers.server.completionQueue);
            assertThat(natives.takeCompletionEvents(peers.server.completionChannel))
                    .isZero();
            assertThat(natives.completionChannelFd(peers.server.completionChannel))
                    .isPositive();
            assertThat(peers.client.post(NativeEnd.WRITE_WITH_IMM, 0, 1, peers.server))
                    .isZero();
            assertThat(peers.server.awaitCompletion()).isEqualTo(SUCCESS);
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            int events = 0;
            while (events == 0 && System.nanoTime() < end) {
                events = natives.takeCompletionEvents(peers.server.completionChannel);
            }
            assertThat(events).isEqualTo(1);

            Native.eventFdWrite(wake.intValue(), 1);
            assertThat(next(peers, wake)).isEqualTo(CmEvent.WAKE);
            // The kernel reports a server's first message as an event of the device.
            int seen;
            do {
                seen = next(peers, wake);
                assertThat(seen).isNotEqualTo(CmEvent.WAKE);
            } while (seen != CmEvent.NOTHING);
        } finally {
            wake.close();
        }
    }

    private int next(NativePeers peers, FileDescriptor wake) throws IOException {
        return natives.nextEvent(peers.serverChannel, peers.server.context, wake.intValue(), 0, peers.event);
    }

    @Test
    void shouldRejectWithAReason() throws IOException {
        try (NativePeers peers = new NativePeers(natives, v4())) {
            peers.client = peers.resolve();
            natives.connect(peers.client.id, null, 0, 3, 3);
            peers.await(peers.serverChannel, CmEvent.CONNECT_REQUEST);
            long rejected = peers.event.getLong(CmEvent.ID);
            ByteBuffer reason = NativePeers.privateData("version 9 is unknown");
            natives.reject(rejected, reason, reason.limit());
            peers.await(peers.clientChannel, CmEvent.REJECTED);
            assertThat(peers.receivedPrivateData()).startsWith("version 9 is unknown");
            // IB_CM_REJ_CONSUMER_DEFINED
            assertThat(peers.event.getInt(CmEvent.STATUS)).isEqualTo(28);
            natives.destroyId(rejected);
        }
    }

    @Test
    void shouldFlushWhatIsOutstandingOnError() throws IOException {
        try (NativePeers peers = new NativePeers(natives, v4())) {
            peers.connect();
            peers.server.postReceive();
            natives.moveToError(peers.server.queuePair);
            assertThat(peers.server.awaitCompletion()).isEqualTo(FLUSHED);
            assertThat(peers.server.completedId()).isEqualTo(77);
        }
    }

    @Test
    void shouldFenceByDeregistering() throws IOException {
        try (NativePeers peers = new NativePeers(natives, v4())) {
            peers.connect();
            int[] keys = new int[2];
            long region = natives.registerMemory(
                    peers.server.domain, peers.server.address, NativeEnd.MEMORY_BYTES, NativeEnd.ALL_ACCESS, keys);
            int granted = peers.server.keys[1];
            peers.server.keys[1] = keys[1];
            peers.client.post(NativeEnd.WRITE, 8, 0, peers.server);
            assertThat(peers.client.awaitCompletion()).isEqualTo(SUCCESS);
            natives.deregisterMemory(region);
            peers.client.post(NativeEnd.WRITE, 8, 0, peers.server);
            assertThat(peers.client.awaitCompletion()).isEqualTo(REMOTE_ACCESS_ERROR);
            peers.server.keys[1] = granted;
        }
    }

    @Test
    void shouldTakeLengthsAsTheyAre() throws IOException {
        try (NativePeers peers = new NativePeers(natives, v4())) {
            peers.client = peers.resolve();
            long fourGib = 1L << 32;
            assertThatThrownBy(() -> natives.registerMemory(
                            peers.client.domain,
                            peers.client.address,
                            fourGib + 4096,
                            NativeEnd.ALL_ACCESS,
                            new int[2]))
                    .as("cut to 32 bits it would be 4096")
                    .isInstanceOf(RegistrationException.class)
                    .hasMessageMatching("ibv_reg_mr: (EFAULT|ENOMEM) .*");
        }
    }

    @Test
    void shouldQueryTheDevice() throws IOException {
        try (NativePeers peers = new NativePeers(natives, v4())) {
            peers.client = peers.resolve();
            int[] values = new int[2];
            natives.queryDevice(peers.client.context, values);
            assertThat(IntStream.of(values)).as("limits of rxe").allMatch(value -> value > 0);
            assertThatThrownBy(() -> natives.queryDevice(peers.client.context, new int[1]))
                    .isInstanceOf(ArrayIndexOutOfBoundsException.class);
        }
    }

    @Test
    void shouldNameFunctionAndError() throws IOException {
        long channel = natives.createEventChannel();
        long id = natives.createId(channel);
        assertThatThrownBy(() -> natives.bindAddress(id, new byte[] {(byte) 192, 0, 2, 1}, 0, 0))
                .isInstanceOf(IOException.class)
                .hasMessageMatching("rdma_bind_addr: E[A-Z]+ \\(.+\\)");
        assertThatThrownBy(() -> natives.disconnect(id)).hasMessage("rdma_disconnect: EINVAL (Invalid argument)");
        ByteBuffer event = ByteBuffer.allocateDirect(CmEvent.SIZE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        assertThat(natives.nextEvent(channel, 0, -1, 0, event)).isEqualTo(CmEvent.NOTHING);
        natives.destroyId(id);
        natives.destroyEventChannel(channel);
    }

    @Test
    void shouldFindOutWhatCanBeRegistered() throws IOException {
        boolean older = System.getProperty("os.version").startsWith("6.1.");
        try (NativePeers peers = new NativePeers(natives, v4())) {
            peers.client = peers.resolve();
            assertThat(FileRegistrations.probe(natives, peers.client.domain, Path.of("/dev/shm")))
                    .isEqualTo(new FileRegistration(!older, true));
            assertThat(FileRegistrations.probe(natives, peers.client.domain, Path.of("/disk")))
                    .isEqualTo(new FileRegistration(!older, true));
        }
    }
}
