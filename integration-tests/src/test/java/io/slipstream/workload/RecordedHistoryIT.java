// SPDX-License-Identifier: Apache-2.0
package io.slipstream.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.checker.Checker;
import io.slipstream.checker.Report;
import io.slipstream.history.HistoryFile;
import io.slipstream.history.Recorder;
import io.slipstream.history.RunEvent.FaultsStopped;
import io.slipstream.history.RunKind;
import io.slipstream.it.Seed;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Deadline;
import io.slipstream.process.PathCounts;
import io.slipstream.process.Patience;
import io.slipstream.process.ProxyProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A complete real history: stock clients of every kind, the final reads and dumps, the file, the checker. {@code
 * -Dslipstream.histories=DIRECTORY} keeps the files.
 */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class RecordedHistoryIT {
    private static final int RECORDS = 20_000;
    private static final Duration PATIENCE = Patience.ofSeconds(60);

    @TempDir
    private Path directory;

    @Tag("thorough")
    @Test
    void shouldFindNothingInAHistoryOfAStockBroker() {
        try (BrokerProcess broker = BrokerProcess.builder(BrokerLine.NEWEST).start()) {
            assertClean(record("direct", broker, broker.bootstrapServers()));
        }
    }

    @Test
    void shouldFindNothingInAHistoryThroughTheProxy() {
        try (BrokerProcess broker =
                        BrokerProcess.builder(BrokerLine.NEWEST).withAgent().start();
                ProxyProcess proxy = ProxyProcess.builder(broker).start()) {
            assertClean(record("rdma", broker, proxy.bootstrapServers()));

            PathCounts counts = PathCounts.in(proxy.metrics());
            assertThat(counts.rdmaProduced()).as("records produced by RDMA").isGreaterThan(RECORDS / 2);
            assertThat(counts.rdmaFetched()).as("records fetched by RDMA").isGreaterThan(RECORDS / 2);
        }
    }

    private HistoryFile record(String arm, BrokerProcess broker, String bootstrap) {
        String kept = System.getProperty("slipstream.histories");
        Path file = (kept == null ? directory : Path.of(kept)).resolve(arm + "-" + Seed.ofRun() + ".history");
        ClientSettings direct = ClientSettings.of(broker.bootstrapServers());
        ClientSettings clients = ClientSettings.of(bootstrap);
        try (Recorder recorder = HistoryFile.create(file)) {
            RecordedRun run = new RecordedRun(recorder, RunKind.WORKLOAD, arm, Seed.ofRun(), broker.clusterId());
            try (Workload workload = Workload.start(run, WorkloadPlan.small(Seed.ofRun()), clients, direct)) {
                boolean enough = Deadline.after(PATIENCE)
                        .await(() -> workload.acknowledged() >= RECORDS
                                || !workload.failures().isEmpty());
                assertThat(workload.failures()).isEmpty();
                assertThat(enough)
                        .as("%d of %d records acknowledged", workload.acknowledged(), RECORDS)
                        .isTrue();
            }
            recorder.record(new FaultsStopped(recorder.nowNs()));
            assertThat(FinalRead.recordBoth(run, clients, PATIENCE))
                    .as("not read to the end")
                    .isEmpty();
            GroupState.record(run, direct);
            new LogDump(run).record(direct, Map.of(broker.nodeId(), broker.logDirectory()));
        }
        return HistoryFile.open(file);
    }

    private static void assertClean(HistoryFile history) {
        Report report = Checker.check(history);

        System.out.print(report.text());
        assertThat(report.counts()).as(report.text()).isEmpty();
        assertThat(report.acknowledged()).isGreaterThanOrEqualTo(RECORDS);
        assertThat(report.unproven()).as("claimed invariants without facts").isEmpty();
    }
}
