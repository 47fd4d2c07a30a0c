// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.history.HistoryFile;
import io.slipstream.history.Recorder;
import io.slipstream.it.Seed;
import io.slipstream.workload.SyntheticRun;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A history whose events exceed this heap as objects but fit as columns from the file. {@code CheckMain --generate
 * 10000000} creates ten million.
 */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class LargeHistoryTest {
    private static final int RECORDS = 300_000;

    @TempDir
    private Path directory;

    @Test
    void shouldFindNothingInALargeCleanHistory() {
        Path file = directory.resolve("history");
        try (Recorder recorder = HistoryFile.create(file)) {
            SyntheticRun.record(recorder, Seed.ofRun(), 8, RECORDS);
        }

        Report report = Checker.check(HistoryFile.open(file));

        assertThat(report.counts()).as(report.text()).isEmpty();
        assertThat(report.acknowledged()).isGreaterThanOrEqualTo(RECORDS);
        assertThat(report.polled()).isGreaterThan(3 * RECORDS);
    }
}
