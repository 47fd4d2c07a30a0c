// SPDX-License-Identifier: Apache-2.0
package io.slipstream.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.process.Checkout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The launcher script itself. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class LauncherIT {
    @TempDir
    private Path directory;

    @Test
    void shouldPrintTheOptionsOfItsCommands() throws Exception {
        Path output = directory.resolve("help");
        for (String command : new String[] {"quickstart", "broker"}) {
            Process process = new ProcessBuilder(
                            Checkout.root().resolve("slipstream").toString(), command, "--help")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
                    .start();
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isZero();
        }
        assertThat(Files.readString(output))
                .contains("[--secure]", "      --secure  ", "[--add-scram CREDENTIAL]", "--add-scram goes");
    }

    @Test
    void shouldNotPassTheMachinesVariablesToTheProxy() throws Exception {
        Path config = Files.writeString(
                directory.resolve("proxy.properties"), "bootstrap.servers=127.0.0.1:1\nlisten.port=x\n");
        Path output = directory.resolve("output");
        ProcessBuilder launcher = new ProcessBuilder(
                        Checkout.root().resolve("slipstream").toString(), "proxy", "--config", config.toString())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        launcher.environment()
                .putAll(Map.of(
                        "SLIPSTREAM_SOFTROCE", "6.1",
                        "SLIPSTREAM_RDMA_NETDEV", "dummy0",
                        "SLIPSTREAM_RDMA_ADDRESS", "10.0.0.1",
                        "SLIPSTREAM_RDMA_ADDRESS6", "fd00::1",
                        "SLIPSTREAM_PATIENCE", "6"));

        Process process = launcher.start();

        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isNotZero();
        assertThat(Files.readString(output)).contains("listen.port").doesNotContain("environment variable");
    }
}
