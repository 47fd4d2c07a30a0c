// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SkippedMarkersTest {
    @Test
    void shouldCountWhatBrokersSay(@TempDir Path directory) throws IOException {
        Path log = directory.resolve("broker.log");
        Files.write(
                log,
                List.of(
                        "INFO [Transaction Marker Channel Manager 1]: Couldn't find leader endpoint for partitions Set(a-1, __consumer_offsets-3) "
                                + "while trying to send transaction markers for copier-0, these partitions are likely deleted already and hence can be skipped",
                        "INFO Creating new marker queue for txn partition 3 to destination broker 1"));

        assertThat(SkippedMarkers.in(List.of(log, log))).isEqualTo(2);
        assertThat(SkippedMarkers.explain("I13 torn-txn")).isTrue();
        assertThat(SkippedMarkers.explain("I1 lost-write")).isFalse();
    }
}
