// SPDX-License-Identifier: Apache-2.0
package io.slipstream.softroce;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.process.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The machine behaves as its help describes, which its results depend on. */
@Tag("thorough")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class SoftRoceMachineIT {
    private static final Path TARGET = Checkout.root().resolve("integration-tests/target");
    private static final int TIMED_OUT = 124;
    private static final int CRASHED = 70;

    private static GuestRun bash(GuestKernel kernel, Duration deadline, String name, String script) throws IOException {
        return SoftRoceMachine.of(kernel)
                .withDeadline(deadline)
                .run(
                        List.of("bash", "-c", script),
                        TARGET,
                        TARGET.resolve("softroce-machine/" + name + "-" + kernel.series()));
    }

    @ParameterizedTest
    @EnumSource
    void shouldReturnStatusOutputAndFilesOfACommandWithTheDevice(GuestKernel kernel) throws IOException {
        Path written = TARGET.resolve("softroce-machine/written");
        Files.deleteIfExists(written);
        String script = "set -e; exec 2>&1; head -c 1000000 /dev/urandom | base64 >" + written + "; cat " + written
                + "; uname -r; rdma link show rxe0/1; ibv_devices | grep -o rxe0; ip -br address show dummy0; ulimit -l"
                + "; findmnt -n -o FSTYPE /disk; echo x >/disk/x; [[ ! -e /etc/written-in-the-machine ]]"
                + "; touch /etc/written-in-the-machine; printf 'end without a new line'; exit 7";

        GuestRun run = bash(kernel, Duration.ofMinutes(3), "output", script);

        assertThat(run.status()).as("%s", run).isEqualTo(7);
        String file = Files.readString(written);
        String output = Files.readString(run.log());
        assertThat(file).hasSizeGreaterThan(1_300_000);
        assertThat(output.startsWith(file))
                .as("output starts with the whole file")
                .isTrue();
        assertThat(output.substring(file.length()))
                .startsWith(kernel.series() + ".")
                .contains("state ACTIVE", "\nrxe0\n", "10.0.0.1/24", "fd00::1/64", "\nunlimited\n", "\next4\n")
                .endsWith("end without a new line");
        assertThat(Path.of("/etc/written-in-the-machine")).doesNotExist();
    }

    @Test
    void shouldStopAHangingMachine() throws IOException {
        GuestRun run =
                bash(GuestKernel.DEBIAN_6_1, Duration.ofSeconds(30), "hanging", "echo here; exec sleep infinity");

        assertThat(run.status()).as("%s", run).isEqualTo(TIMED_OUT);
        assertThat(run.log()).content().startsWith("here\n").contains("not done within 30 s");
    }

    @Test
    void shouldDistinguishAKernelCrashFromAFailingCommand() throws IOException {
        GuestRun run = bash(
                GuestKernel.DEBIAN_6_1, Duration.ofMinutes(3), "crashing", "echo c >/proc/sysrq-trigger; sleep 60");

        assertThat(run.status()).as("%s", run).isEqualTo(CRASHED);
        assertThat(run.log()).content().contains("crashed", "Kernel panic");
    }
}
