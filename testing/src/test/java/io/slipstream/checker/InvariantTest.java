// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.history.Declaration.RunDeclared;
import io.slipstream.history.MemoryHistory;
import io.slipstream.history.RunKind;
import io.slipstream.process.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class InvariantTest {
    @Test
    void shouldStandInTheTableOfTheDocuments() throws IOException {
        List<String> rows = Files.readAllLines(Checkout.root().resolve("docs/reliability.md")).stream()
                .filter(line -> line.matches("\\| I\\d+ \\|.*"))
                .toList();

        assertThat(rows)
                .isEqualTo(Arrays.stream(Invariant.values())
                        .map(one -> "| " + one + " | " + one.title() + " | " + one.claims() + " |")
                        .toList());
    }

    @Test
    void shouldFailARunThatProvesNothing() {
        Report report = Checker.check(MemoryHistory.of(List.of(new RunDeclared(RunKind.CRASH, "rdma", 1, "cluster"))));

        assertThat(report.counts()).isEmpty();
        assertThat(report.isClean()).isFalse();
        assertThat(report.unproven())
                .contains(Invariant.I1, Invariant.I18)
                .doesNotContain(Invariant.I21, Invariant.I23);
        assertThat(report.text()).contains("I18  NO FACTS").contains("I23  -");
    }
}
