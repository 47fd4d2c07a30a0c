// SPDX-License-Identifier: Apache-2.0
package io.slipstream.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.it.Tool;
import io.slipstream.process.Checkout;
import io.slipstream.proxy.config.ProxyConfig;
import io.slipstream.proxy.config.ProxyKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Checks {@code deploy/systemd} with systemd's own programs on files only; systemd need not run. */
@Timeout(120)
class SystemdUnitsTest {
    private static final Path UNITS = Checkout.root().resolve("deploy/systemd");
    private static final String PROXY = "slipstream-proxy.service";
    private static final long DEADLINE_S = 60;

    @TempDir
    private Path directory;

    @Test
    void shouldContainOnlyValidLines() throws IOException {
        Path unit = executableHere(UNITS.resolve(PROXY), directory.resolve(PROXY));

        Program verified = run("systemd-analyze", "verify", unit.toString()).succeeded();

        // systemd only warns about an unknown key.
        assertThat(verified.text()).isEmpty();
    }

    @Test
    void shouldAddThePluginToABrokersUnit() throws IOException {
        Path broker = Files.writeString(directory.resolve("kafka.service"), "[Service]\nExecStart=/bin/true\n");
        Path dropIns = Files.createDirectories(directory.resolve("kafka.service.d"));
        String dropIn = Files.readString(UNITS.resolve("kafka.service.d/slipstream.conf"));
        Files.writeString(dropIns.resolve("slipstream.conf"), dropIn);

        Program verified = run("systemd-analyze", "verify", broker.toString()).succeeded();

        assertThat(verified.text()).isEmpty();
        assertThat(dropIn)
                .contains("Environment=\"KAFKA_OPTS=-javaagent:/usr/share/slipstream/slipstream-broker-plugin.jar\"");
    }

    @Test
    void shouldNotIncreaseItsExposure() throws IOException {
        Path unit = executableHere(UNITS.resolve(PROXY), directory.resolve(PROXY));

        Program rating = run("systemd-analyze", "security", "--offline=true", "--threshold=20", unit.toString());

        assertThat(rating.status()).as(rating::text).isZero();
    }

    @Test
    void shouldDrainBeforeSystemdKills() throws IOException {
        long stopMs = 1000L
                * lines(UNITS.resolve(PROXY))
                        .filter(line -> line.startsWith("TimeoutStopSec="))
                        .map(line -> Integer.parseInt(line.substring(line.indexOf('=') + 1)))
                        .findFirst()
                        .orElseThrow();

        assertThat(stopMs)
                .isGreaterThan(ProxyConfig.of(Map.of("bootstrap.servers", "broker:9092"))
                        .getInt(ProxyKeys.DRAIN_TIMEOUT_MS));
    }

    @Test
    void shouldCreateTheUserAndTheSharedDirectory() throws IOException {
        Files.createDirectories(directory.resolve("etc"));
        run(
                        "systemd-sysusers",
                        "--root=" + directory,
                        UNITS.resolve("sysusers.conf").toString())
                .succeeded();

        assertThat(lines(directory.resolve("etc/passwd"))).anyMatch(line -> line.startsWith("slipstream:x:"));
        assertThat(lines(directory.resolve("etc/group"))).anyMatch(line -> line.matches("slipstream:x:\\d+:kafka"));
        assertThat(lines(UNITS.resolve("tmpfiles.conf")).filter(line -> !line.startsWith("#")))
                .containsExactly("d /run/slipstream 0710 kafka slipstream -");
    }

    private Program run(String... command) {
        Tool.require(command[0], "systemd");
        return Program.run(directory, Map.of("SYSTEMD_LOG_LEVEL", "notice"), DEADLINE_S, List.of(command));
    }

    /** Returns the unit with a program that exists on every machine. */
    private static Path executableHere(Path unit, Path copy) throws IOException {
        return Files.writeString(
                copy, Files.readString(unit).replace("ExecStart=/usr/bin/java ", "ExecStart=/bin/true "));
    }

    private static Stream<String> lines(Path file) throws IOException {
        return Files.readAllLines(file).stream();
    }
}
