// SPDX-License-Identifier: Apache-2.0
package io.slipstream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.ExitCode;

class SlipstreamMainTest {
    @Test
    void shouldPrintTheKeysOfProxyAndPlugin() {
        assertThat(outputOf("config-docs")).contains("| `bootstrap.servers` |");
        assertThat(outputOf("config-docs", "broker", "--format", "properties"))
                .contains("\n#slipstream.enabled=true\n");
        assertThat(outputOf("config-docs", "--format=json", "PROXY")).startsWith("[");
    }

    @Test
    void shouldExplainEachCommandAndRefuseWrongUsage() {
        for (String command : SlipstreamMain.commandLine().getSubcommands().keySet()) {
            assertThat(outputOf(command, "--help")).startsWith("Usage: slipstream " + command);
            assertThat(SlipstreamMain.commandLine().execute(command, "--carrier-pigeon"))
                    .isEqualTo(ExitCode.USAGE);
        }
        assertThat(SlipstreamMain.commandLine().getSubcommands())
                .containsOnlyKeys("quickstart", "doctor", "top", "config-docs");
        assertThat(SlipstreamMain.commandLine().execute()).isEqualTo(ExitCode.USAGE);
    }

    private static String outputOf(String... arguments) {
        PrintStream before = System.out;
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
        try {
            assertThat(SlipstreamMain.commandLine().execute(arguments)).isZero();
        } finally {
            System.setOut(before);
        }
        return output.toString(StandardCharsets.UTF_8);
    }
}
