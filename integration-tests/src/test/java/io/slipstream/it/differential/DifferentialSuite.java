// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.it.Seed;
import io.slipstream.process.BrokerLine;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs every case in all arms and compares the transcripts: answers, and at the end the logs on disk. Cases run one
 * after another, so that the proxy's counters belong to one case.
 *
 * <p>{@code -Dslipstream.cases=REGEX} runs only the cases with matching names.
 *
 * <p>There are two ways to give the brokers other settings, such as another provider: {@code
 * -Dslipstream.broker.properties=slipstream.provider=verbs}, or a subclass that overrides {@link #keys}. See {@link
 * BrokerKeys}.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 90, unit = TimeUnit.SECONDS)
abstract class DifferentialSuite {
    private final BrokerLine line;
    private final long seed = Seed.ofRun();
    private Arms arms;

    DifferentialSuite(BrokerLine line) {
        this.line = line;
    }

    @BeforeAll
    void start() throws IOException {
        arms = start(line, new BrokerKeys(keys()), ArmKind.selected(kinds()));
    }

    @AfterAll
    void stop() throws IOException {
        if (arms != null) {
            arms.close();
        }
    }

    /** Returns additional settings of the brokers; none by default. */
    Map<String, String> keys() {
        return Map.of();
    }

    List<ArmKind> kinds() {
        return List.of(ArmKind.DIRECT, ArmKind.PROXY_TCP, ArmKind.PROXY_RDMA);
    }

    Arms start(BrokerLine brokers, BrokerKeys keys, List<ArmKind> kinds) throws IOException {
        return DifferentialCluster.start(brokers, keys, kinds, true);
    }

    abstract Stream<Case> cases();

    Stream<Case> selectedCases() {
        String names = System.getProperty("slipstream.cases", ".*");
        return cases().filter(each -> each.name().matches(names));
    }

    static Stream<Case> allCases() {
        return Stream.of(
                        ProduceCases.all(),
                        RecordCases.all(),
                        ProduceLimitCases.all(),
                        RefusedPartCases.all(),
                        MalformedProduceCases.all(),
                        SequenceCases.all(),
                        PathSwitchCases.all(),
                        FetchCases.all(),
                        FetchLimitCases.all(),
                        FetchSessionCases.all(),
                        LongPollCases.all(),
                        EpochCases.all(),
                        TransactionCases.all(),
                        AbortedCases.all(),
                        FencingCases.all(),
                        PipelineCases.all(),
                        AddressCases.all(),
                        AdminCases.all(),
                        RingApiCases.all(),
                        RingGroupCases.all(),
                        RingShareCases.all(),
                        RingTransactionCases.all(),
                        GeneratedCases.all(),
                        RandomCases.all())
                .flatMap(List::stream);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("selectedCases")
    void shouldGiveEqualTranscriptsInAllArms(Case example) throws Exception {
        Transcript truth = null;
        for (Arm arm : arms.all()) {
            Transcript seen = run(example, arm);
            if (truth == null) {
                truth = seen;
            } else {
                seen.assertSameAs(truth, example + " through " + arm.kind());
            }
        }
    }

    private Transcript run(Case example, Arm arm) throws Exception {
        try (ArmContext context = arms.context(arm, example.name(), seed)) {
            RequestCounts before = RequestCounts.read(arm);
            List<Long> fallbacks =
                    example.fallbacks().stream().map(arm::fallbacks).toList();
            try {
                example.script().run(context);
            } catch (IOException | AssertionError e) {
                throw new AssertionError(
                        example + " through " + arm.kind() + ": " + e.getMessage() + arm.logTails(), e);
            }
            if (arm.kind().byRdma()) {
                verifyPaths(example, arm, RequestCounts.read(arm).minus(before).minus(context.warmupCounts()));
                for (int i = 0; i < fallbacks.size(); i++) {
                    String reason = example.fallbacks().get(i);
                    assertThat(arm.fallbacks(reason))
                            .as("fallbacks for %s in '%s'", reason, example)
                            .isGreaterThan(fallbacks.get(i));
                }
            }
            context.noteLogs();
            return context.transcript();
        }
    }

    private static void verifyPaths(Case example, Arm arm, RequestCounts counts) {
        // It costs a metrics page, so it is read once.
        String fallbacks = arm.fallbacks();
        for (ApiKeys api : example.byRdma()) {
            assertThat(counts.byRdma(api))
                    .as("%s requests by RDMA in '%s'; all fallbacks so far:%s", api, example, fallbacks)
                    .isPositive();
        }
        for (ApiKeys api : example.onlyByRdma()) {
            assertThat(counts.byTcp(api))
                    .as("%s requests by TCP in '%s'; all fallbacks so far:%s", api, example, fallbacks)
                    .isZero();
        }
    }
}
