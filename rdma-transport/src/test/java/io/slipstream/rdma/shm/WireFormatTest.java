// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.slipstream.rdma.Access;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.WorkRequest;
import io.slipstream.rdma.contract.ConnectedPeers;
import io.slipstream.rdma.contract.Peer;
import java.util.HexFormat;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Golden bytes of everything that two processes exchange over shm: frames of the control socket, access bits and inbox
 * records. The two processes may run different builds, so none of these bytes may change.
 */
@Timeout(60)
class WireFormatTest {
    /** Another depth than the initiator's, so that the target's inbox is found by its size. */
    private static final int RECEIVE_DEPTH = 128;

    static Stream<Arguments> frames() {
        byte[] data = {1, 2, 3};
        return Stream.of(
                Arguments.of(new Message.Hello(data), "0000000e 01 534c5053484d0001 0003 010203"),
                Arguments.of(new Message.Token(0x11L, -2L), "00000011 02 0000000000000011 fffffffffffffffe"),
                Arguments.of(
                        new Message.Attach(0x11L, -2L),
                        "00000019 03 534c5053484d0001 0000000000000011 fffffffffffffffe"),
                Arguments.of(new Message.Accept(64), "00000007 04 00000040 0000"),
                Arguments.of(new Message.Reject("nó"), "00000006 05 0003 6ec3b3"),
                Arguments.of(new Message.Ready(128), "00000005 06 00000080"),
                Arguments.of(new Message.Established(), "00000001 07"),
                Arguments.of(
                        export(false, Access.REMOTE_WRITE, Access.REMOTE_READ),
                        "0000001b 08 00000007 fffffffb 00 03 00007f0000001000 0000000000010000"),
                Arguments.of(
                        export(true, Access.REMOTE_READ),
                        "0000001b 08 00000007 fffffffb 01 01 00007f0000001000 0000000000010000"),
                Arguments.of(new Message.Exported(7, ""), "00000007 09 00000007 0000"),
                Arguments.of(new Message.Exported(7, "no"), "00000009 09 00000007 0002 6e6f"),
                Arguments.of(new Message.Withdraw(7, -5), "00000009 0a 00000007 fffffffb"),
                Arguments.of(new Message.Withdrawn(7), "00000005 0b 00000007"),
                Arguments.of(new Message.Disconnect("bye"), "00000006 0c 0003 627965"));
    }

    private static Message.Export export(boolean isFile, Access... access) {
        int bits = 0;
        for (Access granted : access) {
            bits |= RemoteRegion.bit(granted);
        }
        return new Message.Export(7, -5, isFile, bits, 0x7F00_0000_1000L, 65_536);
    }

    @ParameterizedTest
    @MethodSource("frames")
    void shouldKeepTheBytesOfControlMessages(Message message, String hex) throws Exception {
        byte[] golden = HexFormat.of().parseHex(hex.replace(" ", ""));

        ByteBuf encoded = MessageCodec.encode(UnpooledByteBufAllocator.DEFAULT, message);

        assertThat(ByteBufUtil.hexDump(encoded)).isEqualTo(hex.replace(" ", ""));
        encoded.release();
        ByteBuf fields = Unpooled.wrappedBuffer(golden).skipBytes(MessageCodec.LENGTH_BYTES);
        assertThat(MessageCodec.decode(fields))
                .usingRecursiveComparison()
                .withStrictTypeChecking()
                .isEqualTo(message);
    }

    @Test
    void shouldKeepTheBitsOfAccess() {
        assertThat(Stream.of(Access.values()).map(RemoteRegion::bit)).containsExactly(1, 2);
        assertThat(RemoteRegion.bit(Access.REMOTE_READ)).isEqualTo(1);
        assertThat(RemoteRegion.bit(Access.REMOTE_WRITE)).isEqualTo(2);
    }

    /** The records of two WRITE_WITH_IMM, and the words around them. */
    @Test
    void shouldKeepTheBytesOfAnInbox() throws Exception {
        try (ShmFixture fixture = new ShmFixture();
                Peer initiator = new Peer(fixture.openDevice());
                Peer target = new Peer(fixture.openDevice())) {
            ConnectedPeers.connect(
                    fixture, initiator, initiator.config(), target, target.config(Peer.DEPTH, RECEIVE_DEPTH));
            MemoryRegion region = target.exported(4096, Access.REMOTE_WRITE);
            for (int i = 0; i < 3; i++) {
                target.queuePair.postReceive(i);
            }
            WorkRequest write = initiator.request(Opcode.WRITE_WITH_IMM, region, 100);
            write.imm = 0x0A0B0C0D;
            initiator.queuePair.post(write);
            initiator.awaitCompletion(Opcode.WRITE_WITH_IMM, CompletionStatus.SUCCESS);
            initiator.queuePair.post(initiator.request(Opcode.WRITE_WITH_IMM, region, 5));
            initiator.awaitCompletion(Opcode.WRITE_WITH_IMM, CompletionStatus.SUCCESS);

            assertInbox(0, "534c502d494e4231");
            assertInbox(64, "0300000000000000 0000000000000000");
            assertInbox(
                    320 + 16384 + 4 * RECEIVE_DEPTH,
                    "0100000000000000 01000000 0d0c0b0a 64000000 00000000 0000000000000000"
                            + "0200000000000000 01000000 00000000 05000000 00000000 0000000000000000"
                            + "0000000000000000");
            assertThat(SharedFiles.inboxBytes(RECEIVE_DEPTH)).isEqualTo(320 + 16384 + 36 * RECEIVE_DEPTH + 65536);
        }
    }

    private static void assertInbox(int offset, String hex) throws Exception {
        byte[] golden = HexFormat.of().parseHex(hex.replace(" ", ""));
        SharedFiles.attack(SharedFiles.inboxBytes(RECEIVE_DEPTH), inbox -> {
            byte[] bytes = new byte[golden.length];
            inbox.seek(offset);
            inbox.readFully(bytes);
            assertThat(HexFormat.of().formatHex(bytes)).isEqualTo(HexFormat.of().formatHex(golden));
        });
    }
}
