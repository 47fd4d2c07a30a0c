// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The announcement of a region, for both kinds of region. */
class MessageCodecTest {
    private static final int KIND_OFFSET = 9;

    private static Message.Export export(boolean isFile) {
        return new Message.Export(7, -5, isFile, 2, 0x7F00_0000_1000L, 65_536);
    }

    private static ByteBuf frame(Message.Export export) {
        ByteBuf encoded = MessageCodec.encode(UnpooledByteBufAllocator.DEFAULT, export);
        byte[] bytes = new byte[encoded.skipBytes(MessageCodec.LENGTH_BYTES).readableBytes()];
        encoded.readBytes(bytes).release();
        return Unpooled.wrappedBuffer(bytes);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldKeepWhatAnExportSays(boolean isFile) throws IOException {
        assertThat(MessageCodec.decode(frame(export(isFile)))).isEqualTo(export(isFile));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldRefuseAnotherLength(boolean isFile) {
        ByteBuf whole = frame(export(isFile));
        assertThatThrownBy(() -> MessageCodec.decode(whole.slice(0, whole.readableBytes() - 1)))
                .isInstanceOf(IOException.class)
                .hasMessage("frame is too short");
        assertThatThrownBy(
                        () -> MessageCodec.decode(Unpooled.wrappedBuffer(whole, Unpooled.wrappedBuffer(new byte[1]))))
                .isInstanceOf(IOException.class)
                .hasMessage("frame has 1 surplus bytes");
    }

    /** Earlier builds used kind 2; its number is reserved. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 255})
    void shouldRefuseAnUnknownKind(int kind) {
        ByteBuf frame = frame(export(false)).setByte(KIND_OFFSET, kind);
        assertThatThrownBy(() -> MessageCodec.decode(frame))
                .isInstanceOf(IOException.class)
                .hasMessage("unknown kind of region " + kind);
    }
}
