// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class PrivateDataTest {
    private static ByteBuffer event(int carried, byte[] data) {
        ByteBuffer event = ByteBuffer.allocate(CmEvent.SIZE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        event.putInt(CmEvent.PRIVATE_DATA_BYTES, carried).put(CmEvent.PRIVATE_DATA, data);
        return event;
    }

    private static byte[] encoded(PrivateData data) {
        ByteBuffer buffer = ByteBuffer.allocate(256);
        byte[] bytes = new byte[data.encode(buffer)];
        buffer.get(0, bytes);
        return bytes;
    }

    @Test
    void shouldHaveTheDocumentedLayout() {
        byte[] bytes = encoded(new PrivateData(0x01020304, new byte[] {7, 8}));
        assertThat(HexFormat.of().formatHex(bytes)).isEqualTo("5653" + "01" + "02" + "04030201" + "0708");
    }

    @Test
    void shouldFindItsLengthInPaddedData() throws Exception {
        byte[] bytes = encoded(new PrivateData(16, new byte[] {7, 0}));
        PrivateData decoded = PrivateData.decode(event(196, bytes));
        assertThat(decoded.payload()).containsExactly(7, 0);
        assertThat(decoded.receiveDepth()).isEqualTo(16);
    }

    @Test
    void shouldSayWhatIsWrong() {
        byte[] bytes = encoded(new PrivateData(16, new byte[49]));
        assertThatThrownBy(() -> PrivateData.decode(event(196, bytes)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("49 bytes");
        assertThatThrownBy(() -> PrivateData.decode(event(0, new byte[0]))).hasMessageContaining("no header");
        assertThatThrownBy(() -> PrivateData.decode(event(100_000, new byte[0])))
                .hasMessageContaining("no header");
        bytes[3] = 60;
        assertThatThrownBy(() -> PrivateData.decode(event(56, bytes))).hasMessageContaining("announces 60");
    }

    @Test
    void shouldCarryAReasonThatFits() {
        String reason = "ä".repeat(100);
        byte[] bytes = encoded(PrivateData.ofReject(reason));
        assertThat(bytes.length).isLessThanOrEqualTo(PrivateData.MAX_REJECT_BYTES);
        assertThat(PrivateData.rejectReason(event(148, bytes))).isEqualTo("rejected by the peer: " + "ä".repeat(70));
        byte[] odd = encoded(PrivateData.ofReject("x" + reason));
        assertThat(PrivateData.rejectReason(event(148, odd))).isEqualTo("rejected by the peer: x" + "ä".repeat(69));
    }

    @Test
    void shouldShowNoControlCharactersOfAPeer() {
        byte[] bytes = encoded(PrivateData.ofReject("bad\n\u001b[31mlog"));
        assertThat(PrivateData.rejectReason(event(148, bytes))).isEqualTo("rejected by the peer: bad??[31mlog");
        byte[] foreign = "hello".getBytes(StandardCharsets.UTF_8);
        ByteBuffer event = event(148, foreign).putInt(CmEvent.STATUS, 28);
        assertThat(PrivateData.rejectReason(event)).isEqualTo("rejected (reason 28)");
    }
}
