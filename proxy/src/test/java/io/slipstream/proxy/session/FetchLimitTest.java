// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import static io.slipstream.proxy.fetch.FetchFrames.fetch;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.slipstream.proxy.buffer.PooledMemory;
import io.slipstream.proxy.count.PartitionTable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The size limit of a Fetch that takes TCP. */
class FetchLimitTest {
    private static byte[] frame(int version, int maxBytes) {
        return fetch().version(version)
                .with(data -> data.setMaxBytes(maxBytes).setMinBytes(7))
                .partition(0, 0, 1 << 20)
                .bytes();
    }

    private static byte[] lowered(int version, int maxBytes, int mostBytes) {
        byte[] frame = frame(version, maxBytes);
        ByteBuf wire = PooledMemory.ALLOCATOR
                .directBuffer(Integer.BYTES + frame.length)
                .writeInt(frame.length)
                .writeBytes(frame);
        try {
            RequestSlot slot = new RequestSlot(null);
            slot.wire = wire;
            new RequestHeaders().read(PooledMemory.frame(wire), slot);
            new FrameCounts(new PartitionTable()).limitFetch(slot, mostBytes);
            wire.skipBytes(Integer.BYTES).readBytes(frame);
            return frame;
        } finally {
            wire.release();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {7, 11, 12, 14, 15, 18})
    void shouldLowerTheLimitAndNothingElse(int version) {
        assertThat(lowered(version, 50 << 20, 1 << 20)).isEqualTo(frame(version, 1 << 20));
        assertThat(lowered(version, 1 << 20, 50 << 20)).isEqualTo(frame(version, 1 << 20));
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 6})
    void shouldLeaveVersionsWithoutSessionsAlone(int version) {
        assertThat(lowered(version, 50 << 20, 1 << 20)).isEqualTo(frame(version, 50 << 20));
    }
}
