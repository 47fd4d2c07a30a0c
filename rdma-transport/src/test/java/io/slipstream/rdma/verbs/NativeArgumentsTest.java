// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Arguments that the natives refuse before they use a handle. None is valid here. */
class NativeArgumentsTest {
    private NativeVerbs natives;

    @BeforeEach
    void load() {
        assumeTrue(
                NativeLibrary.unavailableReason().isEmpty(),
                () -> NativeLibrary.unavailableReason().orElseThrow());
        natives = NativeLibrary.natives();
    }

    @Test
    void shouldRefusePrivateDataThatIsNotThere() {
        ByteBuffer direct = ByteBuffer.allocateDirect(16);
        ByteBuffer large = ByteBuffer.allocateDirect(512);

        assertIllegal(() -> natives.connect(0, direct, 17, 3, 3));
        assertIllegal(() -> natives.connect(0, direct, -1, 3, 3));
        assertIllegal(() -> natives.connect(0, ByteBuffer.allocate(16), 16, 3, 3));
        assertIllegal(() -> natives.connect(0, null, 1, 3, 3));
        assertIllegal(() -> natives.accept(0, large, 256, 3));
        assertIllegal(() -> natives.accept(0, direct.slice(8, 8), 9, 3));
        assertIllegal(() -> natives.reject(0, direct, 17));
    }

    @Test
    void shouldRefuseAddressesOfNoFamily() {
        assertIllegal(() -> natives.bindAddress(0, new byte[5], 0, 1));
        assertIllegal(() -> natives.bindAddress(0, null, 0, 1));
        assertIllegal(() -> natives.bindAddress(0, new byte[4], 0, 65_536));
        assertIllegal(() -> natives.resolveAddress(0, null, new byte[0], 0, 1, 1));
        assertIllegal(() -> natives.resolveAddress(0, new byte[17], new byte[4], 0, 1, 1));
    }

    @Test
    void shouldRefuseABufferTooSmallForAnEvent() {
        assertIllegal(() -> natives.nextEvent(0, 0, -1, 0, ByteBuffer.allocateDirect(CmEvent.SIZE_BYTES - 1)));
        assertIllegal(() -> natives.nextEvent(0, 0, -1, 0, ByteBuffer.allocate(CmEvent.SIZE_BYTES)));
    }

    @Test
    void shouldRefuseARegionWithoutLengthOrRoomForItsKeys() {
        assertThatThrownBy(() -> natives.registerMemory(0, 4096, 0, 0, new int[2]))
                .isInstanceOf(RegistrationException.class)
                .hasMessage("ibv_reg_mr: EINVAL (Invalid argument)");
        assertThatThrownBy(() -> natives.registerMemory(0, 4096, 4096, 0, new int[1]))
                .isInstanceOf(RegistrationException.class);
    }

    @Test
    void shouldNameFunctionAndErrorWhereThereIsNoDevice() throws IOException {
        long channel = 0;
        try {
            channel = natives.createEventChannel();
        } catch (IOException e) {
            assertThat(e).hasMessageMatching("rdma_create_event_channel: E[A-Z]+ \\(.+\\)");
        }
        if (channel != 0) {
            natives.destroyEventChannel(channel);
        }
    }

    private interface Call {
        void run() throws IOException;
    }

    private static void assertIllegal(Call call) {
        assertThatThrownBy(call::run).isInstanceOf(IllegalArgumentException.class);
    }
}
