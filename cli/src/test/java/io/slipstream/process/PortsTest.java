// SPDX-License-Identifier: Apache-2.0
package io.slipstream.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class PortsTest {
    private static final EphemeralRange NONE = new EphemeralRange(0, -1);

    @TempDir
    private Path directory;

    @Test
    void shouldChooseNoPortThatTheKernelGivesToOutgoingConnections() {
        try (PortLocks locks = PortLocks.in(directory.resolve("ports"))) {
            for (int i = 0; i < 20; i++) {
                assertThat(Ports.freeRange(2, new EphemeralRange(14_000, 60_999), locks))
                        .isBetween(12_000, 13_998);
            }
            assertThatThrownBy(() -> Ports.freeRange(1, new EphemeralRange(1_024, 65_535), locks))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("1024 to 65535");
        }
    }

    @Test
    void shouldReadTheKernelsRange() {
        assertThat(EphemeralRange.parse("1024\t40000\n")).isEqualTo(new EphemeralRange(1_024, 40_000));
        EphemeralRange kernel = EphemeralRange.ofKernel();
        assertThat(kernel.lowest()).isPositive().isLessThan(kernel.highest());
    }

    @Test
    void shouldNeverChooseAPortTwice() {
        try (PortLocks locks = PortLocks.in(directory.resolve("ports"))) {
            assertThat(locks.take(20_000, 3)).isTrue();
            assertThat(locks.take(20_002, 1)).isFalse();
            assertThat(locks.take(19_999, 2)).isFalse();
            assertThat(locks.take(19_999, 1))
                    .as("nothing of a refused range is kept")
                    .isTrue();
        }
    }

    @Test
    void shouldTakeNoPortThatSomeoneListensOn() throws IOException {
        try (PortLocks locks = PortLocks.in(directory.resolve("ports"));
                ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(Ports.isFree(listener.getLocalPort())).isFalse();
            assertThat(Ports.freeRange(1, NONE, locks)).isNotEqualTo(listener.getLocalPort());
        }
    }

    @Test
    void shouldKeepPortsFromAnotherJvmUntilItsProcessEnds() throws Exception {
        Path file = directory.resolve("ports");
        Process other = new ProcessBuilder(
                        ChildProcess.java(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Holder.class.getName(),
                        file.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (PortLocks locks = PortLocks.in(file)) {
            assertThat(other.getInputStream().read()).isEqualTo('1');
            assertThat(locks.take(20_000, 1)).as("held by the other JVM").isFalse();
            assertThat(locks.take(20_001, 1)).isTrue();

            other.destroyForcibly().waitFor();

            assertThat(locks.take(20_000, 1)).isTrue();
        } finally {
            other.destroyForcibly();
        }
    }

    /** Takes a port and holds it until it is killed. */
    static final class Holder {
        private Holder() {}

        public static void main(String[] args) throws IOException {
            try (PortLocks locks = PortLocks.in(Path.of(args[0]))) {
                System.out.print(locks.take(20_000, 1) ? 1 : 0);
                System.out.flush();
                // Until the test kills this process.
                System.in.read();
            }
        }
    }
}
