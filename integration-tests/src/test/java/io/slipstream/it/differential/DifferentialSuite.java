package io.slipstream.it.differential;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.harness.BrokerLine;
import io.slipstream.it.Seed;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs every case in all arms of one broker line and compares what was seen. One case at a time: the proxy's counters then belong to it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 90, unit = TimeUnit.SECONDS)
abstract class DifferentialSuite {
    private final BrokerLine line;
    private final long seed = Seed.ofRun();
    private DifferentialCluster cluster;

    DifferentialSuite(BrokerLine line) {
        this.line = line;
    }

    @BeforeAll
    void start() throws IOException {
        cluster = DifferentialCluster.start(line);
    }

    @AfterAll
    void stop() throws IOException {
        if (cluster != null) {
            cluster.close();
        }
    }

    abstract Stream<Case> cases();

    static Stream<Case> allCases() {
        return Stream.of(
                        ProduceCases.all(),
                        MalformedProduceCases.all(),
                        SequenceCases.all(),
                        FetchCases.all(),
                        FetchLimitCases.all(),
                        LongPollCases.all(),
                        EpochCases.all(),
                        TransactionCases.all(),
                        PipelineCases.all(),
                        AddressCases.all(),
                        AdminCases.all(),
                        RandomCases.all())
                .flatMap(List::stream);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void shouldSeeTheSameInAllArms(Case example) throws Exception {
        Transcript truth = null;
        for (Arm arm : cluster.arms()) {
            Transcript seen = run(example, arm);
            if (truth == null) {
                truth = seen;
            } else {
                seen.assertSameAs(truth, example + " through " + arm.kind());
            }
        }
    }

    private Transcript run(Case example, Arm arm) throws Exception {
        try (ArmContext context = cluster.context(arm, example.name(), seed)) {
            RdmaCounts before = RdmaCounts.read(arm);
            example.script().run(context);
            if (arm.kind() == ArmKind.PROXY_RDMA) {
                RdmaCounts byRdma = RdmaCounts.read(arm).minus(before).minus(context.warmupByRdma());
                for (Case.Api api : example.byRdma()) {
                    assertThat(byRdma.of(api))
                            .as("%s requests by RDMA in '%s'; all fallbacks so far:%s", api, example, arm.fallbacks())
                            .isPositive();
                }
            }
            return context.transcript();
        }
    }
}
