// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.security.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.harness.secured.SecureBroker;
import io.slipstream.harness.secured.SecureListener;
import io.slipstream.it.Seed;
import io.slipstream.it.Thorough;
import io.slipstream.process.BrokerLine;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Invariant 6: a principal has the same permissions by RDMA as over TCP. Runs the cases of {@link AccessTable} on all
 * three paths. {@code -Dslipstream.cases=REGEX} selects cases by name.
 */
@Timeout(value = 90, unit = TimeUnit.SECONDS)
class EquivalenceIT {
    private static SecureBroker broker;
    private static AccessStage stage;
    private static SecureListener stagedListener;
    private static String stagedUser;

    @BeforeAll
    static void start() {
        // Test batches have timestamps years ago, so the broker would delete them half a minute after its start.
        broker = SecureBroker.start(BrokerLine.NEWEST, settings -> settings.property("log.retention.ms", "-1"));
    }

    @AfterAll
    static void stop() {
        if (stage != null) {
            stage.close();
        }
        if (broker != null) {
            broker.close();
        }
    }

    static List<AccessCase> cases() {
        String names = System.getProperty("slipstream.cases");
        if (names == null) {
            return Thorough.isAsked() ? AccessTable.cases() : AccessTable.sample(Seed.ofRun());
        }
        return AccessTable.cases().stream()
                .filter(asked -> asked.toString().matches(names))
                .toList();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void shouldGetTheSameAnswerOnAllPaths(AccessCase asked) throws Exception {
        enter(asked);
        // Runs all paths before the comparison, because written data must stay equal on all paths.
        String direct = run(asked, AccessPath.DIRECT);
        String withoutRdma = run(asked, AccessPath.PROXY_TCP);
        String byRdma = run(asked, AccessPath.PROXY_RDMA);
        assertThat(direct).as("%s, directly", asked).contains(asked.expected());
        assertThat(withoutRdma).as("%s, by TCP", asked).isEqualTo(direct);
        assertThat(byRdma).as("%s, by RDMA", asked).isEqualTo(direct);
    }

    private static String run(AccessCase asked, AccessPath path) throws Exception {
        stage.switchTo(path);
        try (AccessClient client = stage.connect(path, asked.user()).warmUp()) {
            String api = asked.rdmaApi();
            long before = api == null ? 0 : stage.byRdma(api);
            String answer = asked.script().run(client);
            if (path == AccessPath.PROXY_RDMA && api != null) {
                assertThat(stage.byRdma(api) - before)
                        .as("%s requests by RDMA, %s: %s", api, asked, answer)
                        .isPositive();
            }
            return answer;
        }
    }

    private static void enter(AccessCase asked) throws Exception {
        // Certificates belong to a proxy, so each user has a separate one here.
        String user = asked.listener() == SecureListener.MUTUAL ? asked.user() : null;
        if (stage != null && asked.listener() == stagedListener && Objects.equals(user, stagedUser)) {
            return;
        }
        if (stage != null) {
            stage.close();
            stage = null;
        }
        stage = new AccessStage(broker, asked.listener(), user);
        stagedListener = asked.listener();
        stagedUser = user;
    }
}
