// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol;

import static io.slipstream.protocol.control.ControlError.NONE;
import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.protocol.control.AbortedTransaction;
import io.slipstream.protocol.control.ControlApi;
import io.slipstream.protocol.control.ControlCodec;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.control.ControlSecret;
import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.protocol.ring.RingFrame;
import io.slipstream.protocol.slot.SlotLayout;
import io.slipstream.protocol.slot.SlotTableHeader;
import io.slipstream.protocol.slot.SlotWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

/**
 * The bytes of every message, as literals. They must not change: a proxy and a plugin of different releases exchange
 * them. A new field needs a new version of its message, and a new line here.
 */
class WireBytesTest {
    private static final HexFormat HEX = HexFormat.of();
    private static final RemoteMemory MEMORY = new RemoteMemory(0x1122334455667788L, 0x0102030405060708L, 0x0a0b0c0d);
    private static final Uuid TOPIC_ID = new Uuid(0x1111111122222222L, 0x3333333344444444L);

    @Test
    void shouldKeepTheBytesOfControlRequests() {
        request(new ControlRequest.Hello("p-1", "1.2"), "0000001200000000010203040003702d310003312e32");
        request(new ControlRequest.OpenLink(0x00100000, 64), "0000001000010000010203040010000000000040");
        request(
                new ControlRequest.AttachLink(7, MEMORY),
                "0000002000020000010203040000000711223344556677880102030405060708" + "0a0b0c0d");
        request(new ControlRequest.BeginSession(7), "0000000c000300000102030400000007");
        request(new ControlRequest.ConfirmSession(7, "n"), "0000000f00040000010203040000000700016e");
        request(new ControlRequest.CloseSession(7, 8), "0000001000050000010203040000000700000008");
        request(
                new ControlRequest.Locate(7, 8, TOPIC_ID, "t", 3, 0x99L, 5, 4),
                "0000003700060000010203040000000700000008111111112222222233333333"
                        + "444444440001740000000300000000000000990000000500000004");
        request(
                new ControlRequest.Locate(7, 8, TOPIC_ID, null, 3, 0x99L, -1, -1),
                "0000003600060000010203040000000700000008111111112222222233333333"
                        + "44444444ffff000000030000000000000099ffffffffffffffff");
        request(new ControlRequest.ReleaseSegment(7, 0x0a0b0c0d), "000000100007000001020304000000070a0b0c0d");
        request(
                new ControlRequest.ReleaseSlot(7, 8, 9, 10),
                "0000001800080000010203040000000700000008000000090000000a");
        request(
                new ControlRequest.ReportReads(
                        7,
                        List.of(new ControlRequest.PartitionReads(9, 10, 0x1234L, 2)),
                        List.of(new ControlRequest.SessionReads(8, 0x5678L))),
                "00000034000b0000010203040000000700000001000000090000000a00000000"
                        + "000012340000000200000001000000080000000000005678");
        request(
                new ControlRequest.ListAborted(7, 8, 9, 10, 0x80L, 0x99L),
                "00000028000c0000010203040000000700000008000000090000000a00000000" + "000000800000000000000099");
        request(new ControlRequest.Challenge("n"), "0000000b000d00000102030400016e");
        request(new ControlRequest.Authenticate("p"), "0000000b000e000001020304000170");
    }

    @Test
    void shouldKeepTheBytesOfControlResponses() {
        response(
                new ControlResponse.Hello(NONE, null, "c", 2, 0x77L, "shm", "/s", 500, 0x100000, 0x200000, true),
                "0000003100000000010203040000ffff00016300000002000000000000007700"
                        + "0373686d00022f73000001f4001000000020000001");
        response(
                new ControlResponse.OpenLink(NONE, null, 7, 0x0102030405060708L),
                "0000001800010000010203040000ffff000000070102030405060708");
        response(
                new ControlResponse.AttachLink(NONE, null, MEMORY, MEMORY, MEMORY, MEMORY, 128, 64),
                "0000006400020000010203040000ffff11223344556677880102030405060708"
                        + "0a0b0c0d112233445566778801020304050607080a0b0c0d1122334455667788"
                        + "01020304050607080a0b0c0d112233445566778801020304050607080a0b0c0d" + "0000008000000040");
        response(new ControlResponse.BeginSession(NONE, null, "n"), "0000000f00030000010203040000ffff00016e");
        response(new ControlResponse.ConfirmSession(NONE, null, 8), "0000001000040000010203040000ffff00000008");
        response(new ControlResponse.CloseSession(NONE, null), "0000000c00050000010203040000ffff");
        response(
                new ControlResponse.Locate(NONE, null, TOPIC_ID, "t", 9, 10, 0x80L, 4096, MEMORY, -1),
                "0000004b00060000010203040000ffff11111111222222223333333344444444"
                        + "000174000000090000000a000000000000008000001000112233445566778801"
                        + "020304050607080a0b0c0dffffffff");
        response(new ControlResponse.ReleaseSegment(NONE, null), "0000000c00070000010203040000ffff");
        response(new ControlResponse.ReleaseSlot(NONE, "m"), "0000000d0008000001020304000000016d");
        response(
                new ControlResponse.ReportReads(
                        NONE, null, true, List.of(new ControlResponse.ReadAllowance(8, 0x5678L))),
                "0000001d000b0000010203040000ffff01000000010000000800000000000056" + "78");
        response(
                new ControlResponse.ListAborted(
                        NONE, null, 0x1000L, 0x2000, true, 3, List.of(new AbortedTransaction(1, 2, 3, 4))),
                "0000003d000c0000010203040000ffff00000000000010000000200001000000"
                        + "0300000001000000000000000100000000000000020000000000000003000000" + "04");
        response(new ControlResponse.Challenge(NONE, null, "n"), "0000000f000d0000010203040000ffff00016e");
        response(new ControlResponse.Authenticate(NONE, null, "p"), "0000000f000e0000010203040000ffff000170");
    }

    @Test
    void shouldKeepTheBytesOfRefusals() {
        response(ControlApi.LOCATE.refusal(ControlError.NOT_READABLE, "no"), "0000000e0006000001020304000600026e6f");
        response(ControlApi.HELLO.refusal(ControlError.NOT_AUTHENTICATED, null), "0000000c0000000001020304000cffff");
    }

    @Test
    void shouldKeepTheKeysOfApis() {
        Map<ControlApi, Integer> keys = Map.ofEntries(
                Map.entry(ControlApi.HELLO, 0),
                Map.entry(ControlApi.OPEN_LINK, 1),
                Map.entry(ControlApi.ATTACH_LINK, 2),
                Map.entry(ControlApi.BEGIN_SESSION, 3),
                Map.entry(ControlApi.CONFIRM_SESSION, 4),
                Map.entry(ControlApi.CLOSE_SESSION, 5),
                Map.entry(ControlApi.LOCATE, 6),
                Map.entry(ControlApi.RELEASE_SEGMENT, 7),
                Map.entry(ControlApi.RELEASE_SLOT, 8),
                Map.entry(ControlApi.REPORT_READS, 11),
                Map.entry(ControlApi.LIST_ABORTED, 12),
                Map.entry(ControlApi.CHALLENGE, 13),
                Map.entry(ControlApi.AUTHENTICATE, 14));
        keys.forEach((api, key) -> {
            assertThat((int) api.key).isEqualTo(key);
            assertThat(ControlApi.ofKey(api.key)).isSameAs(api);
        });
    }

    @Test
    void shouldKeepTheCodesOfErrors() {
        Map<ControlError, Integer> codes = Map.of(
                ControlError.NONE,
                0,
                ControlError.PROTOCOL,
                1,
                ControlError.LIMIT,
                2,
                ControlError.UNKNOWN_HANDLE,
                3,
                ControlError.NOT_BOUND,
                4,
                ControlError.RDMA_OFF,
                5,
                ControlError.NOT_READABLE,
                6,
                ControlError.INERT,
                7,
                ControlError.INTERNAL,
                8,
                ControlError.NOT_AUTHENTICATED,
                12);
        codes.forEach((error, code) -> {
            assertThat((int) error.code).isEqualTo(code);
            assertThat(ControlError.of(error.code)).isSameAs(error);
        });
    }

    @Test
    void shouldKeepTheProofs() {
        ControlSecret secret = ControlSecret.of("0123456789abcdef");
        byte[] certificate = {1, 2};
        expect(
                HEX.parseHex(secret.proof(ControlSecret.Side.PROXY, "c", 2, "pn", "bn", certificate)),
                "91aa3af9ad4bbf083e7b1d2c302b1d81807d18681d9a7b250773ae092d0bb7f4");
        expect(
                HEX.parseHex(secret.proof(ControlSecret.Side.BROKER, "c", 2, "pn", "bn", certificate)),
                "f23df33779ff00a9098adb9ee555f38436e7e6ed66b954981d8d88f0e27858e1");
    }

    @Test
    void shouldKeepTheHeaderOfRingFrames() {
        ByteBuffer header = ByteBuffer.allocate(RingFrame.HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        RingFrame.encodeHeader(header, 0, 0x0f, 0x0102030405060708L, 0x11121314, 0x21222324, 0x3132333435363738L);
        expect(header.array(), "534c30310f000000080706050403020114131211242322213837363534333231");
    }

    @Test
    void shouldKeepFlagsAndImmediateData() {
        assertThat(RingFrame.FLAG_NO_RESPONSE).isEqualTo(0x1);
        assertThat(RingFrame.FLAG_CLOSE_CONNECTION).isEqualTo(0x2);
        assertThat(RingFrame.FLAG_THROTTLE_START).isEqualTo(0x4);
        assertThat(RingFrame.FLAG_THROTTLE_END).isEqualTo(0x8);
        assertThat(RingFrame.FLAG_TAKE_TCP).isEqualTo(0x100);
        assertThat(RingFrame.IMM_SLOT_DOORBELL).isEqualTo(0x8000_0000);
        assertThat(RingFrame.ALIGNMENT).isEqualTo(64);
        assertThat(RingFrame.immOf(0x12_3456_7880L)).isEqualTo(0x48d1_59e2);
        assertThat(RingFrame.immOf(0x3f_ffff_ffc0L)).isEqualTo(0x7fff_ffff);
    }

    @Test
    void shouldKeepTheSlotTable() {
        ByteBuffer table = ByteBuffer.allocateDirect(4 * SlotLayout.SLOT_BYTES).alignedSlice(SlotLayout.SLOT_BYTES);
        SlotTableHeader.initialise(table, 0x0102030405060708L, 2);
        SlotTableHeader.beat(table);
        SlotWriter writer = new SlotWriter(table, 2);
        writer.publish(1, SlotLayout.FLAG_ABORTED_TRANSACTIONS, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88);
        byte[] bytes = new byte[SlotLayout.tableBytes(2)];
        table.get(0, bytes);
        expect(
                bytes,
                "534c305402000000080706050403020101000000000000000200000000000000"
                        + "0000000000000000000000000000000000000000000000000000000000000000"
                        + "0000000000000000000000000000000000000000000000000000000000000000"
                        + "0000000000000000000000000000000000000000000000000000000000000000"
                        + "0200000002000000110000002200000033000000000000004400000000000000"
                        + "5500000066000000770000000000000088000000000000001228236302000000");
        writer.revoke(1);
        byte[] revoked = new byte[SlotLayout.SLOT_BYTES];
        table.get(SlotLayout.slotOffset(1), revoked);
        expect(
                revoked,
                "0400000003000000110000002200000033000000000000004400000000000000"
                        + "550000006600000077000000000000008800000000000000dd63cba004000000");
    }

    private static void request(ControlRequest message, String hex) {
        byte[] bytes = ControlCodec.encodeRequest(0x01020304, message).array();
        expect(bytes, hex);
        assertThat(ControlCodec.decodeRequest(
                                ByteBuffer.wrap(HEX.parseHex(hex), Integer.BYTES, bytes.length - Integer.BYTES)
                                        .slice())
                        .message())
                .isEqualTo(message);
    }

    private static void response(ControlResponse message, String hex) {
        byte[] bytes = ControlCodec.encodeResponse(0x01020304, message).array();
        expect(bytes, hex);
        assertThat(ControlCodec.decodeResponse(
                                ByteBuffer.wrap(HEX.parseHex(hex), Integer.BYTES, bytes.length - Integer.BYTES)
                                        .slice())
                        .message())
                .isEqualTo(message);
    }

    private static void expect(byte[] bytes, String hex) {

        assertThat(HEX.formatHex(bytes)).isEqualTo(hex);
    }
}
