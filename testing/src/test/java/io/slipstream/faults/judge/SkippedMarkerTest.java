// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.judge;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SkippedMarkerTest {
    private static final String END = ", these partitions are likely deleted already and hence can be skipped"
            + " (kafka.coordinator.transaction.TransactionMarkerChannelManager)";

    @Test
    void shouldReadTheTransactionAndThePartitionsThatABrokerNames(@TempDir Path directory) throws IOException {
        Path log = directory.resolve("broker.log");
        Files.write(
                log,
                List.of(
                        "[2026-11-23 22:01:02,345] INFO [Transaction Marker Channel Manager 1]: Couldn't find leader"
                                + " endpoint for partitions Set(copy-of-a-1, __consumer_offsets-3) while trying to"
                                + " send transaction markers for copier-0" + END,
                        "[2026-11-23 22:01:03,345] INFO Creating new marker queue for txn partition 3 to destination"
                                + " broker 1 (kafka.coordinator.transaction.TransactionMarkerChannelManager)",
                        "INFO Couldn't find leader endpoint for partitions Set(a-1) while trying to send"
                                + " transaction markers for cut" + END));

        List<SkippedMarker> found = SkippedMarker.in(List.of(log));

        assertThat(found).singleElement().satisfies(one -> {
            assertThat(one.transactionalId()).isEqualTo("copier-0");
            assertThat(one.partitions()).isEqualTo(Set.of("copy-of-a-1", "__consumer_offsets-3"));
        });
        assertThat(SkippedMarker.parse("[2026-11-23 22:01:02,346] INFO Couldn't find leader endpoint for partitions"
                                + " [a.b_c-0, d-12] while trying to send transaction markers for t" + END)
                        .orElseThrow())
                .satisfies(one -> {
                    assertThat(one.partitions()).isEqualTo(Set.of("a.b_c-0", "d-12"));
                    assertThat(one.wallMs()).isEqualTo(found.get(0).wallMs() + 1);
                });
    }
}
