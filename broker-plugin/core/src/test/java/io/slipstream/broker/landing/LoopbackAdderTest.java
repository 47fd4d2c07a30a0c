package io.slipstream.broker.landing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.protocol.ring.PlaceWord;
import io.slipstream.rdma.Access;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.ProtectionDomain;
import io.slipstream.rdma.RdmaDevice;
import io.slipstream.rdma.RdmaProvider;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** By the provider that is always there; what needs this is {@code verbs}, where it is tried in the Soft-RoCE machine. */
@Timeout(30)
class LoopbackAdderTest {
    private static final int ADDITIONS = 500;
    private static final int THREADS = 4;

    @TempDir
    Path directory;

    @Test
    void shouldAddWhatSeveralThreadsAskForOnceEach() throws Exception {
        try (RdmaDevice device = RdmaProvider.named("shm").orElseThrow().open()) {
            ProtectionDomain domain = device.createProtectionDomain();
            MemoryRegion word = domain.allocate(4096, EnumSet.of(Access.REMOTE_ATOMIC));
            LoopbackAdder adder =
                    LoopbackAdder.open(device, directory.resolve("loop").toString());
            MemoryRegion shared = adder.share(word);
            Set<Long> before = ConcurrentHashMap.newKeySet();

            IntStream.range(0, THREADS).parallel().forEach(thread -> {
                for (int i = 0; i < ADDITIONS; i++) {
                    before.add(adder.add(shared, 3));
                }
            });

            assertThat(word.buffer().getLong(0)).isEqualTo(3L * THREADS * ADDITIONS);
            assertThat(before).hasSize(THREADS * ADDITIONS);
            shared.close();
            adder.close();
            assertThatThrownBy(() -> adder.add(shared, 3)).isInstanceOf(IllegalStateException.class);
            word.close();
            domain.close();
            assertThat(device.registeredBytes()).isZero();
        }
    }

    @Test
    void shouldReserveAsProxiesDo() throws Exception {
        try (RdmaDevice device = RdmaProvider.named("shm").orElseThrow().open()) {
            ProtectionDomain domain = device.createProtectionDomain();
            MemoryRegion region = domain.allocate(4096, EnumSet.of(Access.REMOTE_ATOMIC));
            try (LoopbackAdder adder =
                    LoopbackAdder.open(device, directory.resolve("loop").toString())) {
                ReservationWord word = new ReservationWord(region, adder);
                word.open(1000);

                assertThat(PlaceWord.position(word.reserve(30))).isEqualTo(1000);
                long second = word.reserve(5);
                assertThat(PlaceWord.position(second)).isEqualTo(1030);
                assertThat(PlaceWord.order(second)).isEqualTo(1);
                word.close();
                assertThat(PlaceWord.position(word.reserve(5))).isGreaterThan(Integer.MAX_VALUE);
                word.release();
            }
            domain.close();
        }
    }
}
