// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FaultsMainTest {
    @ParameterizedTest
    @CsvSource({
        "--minutes 0, --minutes",
        "--minutes many, --minutes",
        "--seeds -3, --seeds",
        "--seeds, --seeds",
        "--arm sideways, --arm",
        "--replay now, --replay",
        "--replay 7 --seeds 2, --replay",
        "--replay 7 --minutes 2, --minutes",
        "--simulate --arm tcp, --arm",
        "--simulate --json x.json, --json",
        "--json /no/such/directory/x.json, --json",
        "--kills 5, --kills",
        "--crash --kills 0, --kills",
        "--crash --minutes 3, --minutes",
        "--crash --victims nobody, nobody",
        "--brokers 2, --brokers",
        "--brokers 3 --replay 7, --brokers",
        "--brokers 3 --crash, --brokers",
        "--classes no-such-fault, no-such-fault",
        "--simulate --classes retention, --classes",
        "--crash --classes retention, --classes",
        "--sedes 4, --sedes",
        "seeds, seeds"
    })
    void shouldRefuseBadArgumentsByNameWithStatus64(String arguments, String named) {
        PrintStream error = System.err;
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
        try {
            assertThat(FaultsMain.commandLine().execute(arguments.split(" "))).isEqualTo(64);
        } finally {
            System.setErr(error);
        }
        assertThat(said.toString(StandardCharsets.UTF_8)).contains(named).contains("./slipstream faults --help");
    }
}
