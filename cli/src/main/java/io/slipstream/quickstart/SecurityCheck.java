// SPDX-License-Identifier: Apache-2.0
package io.slipstream.quickstart;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.slipstream.process.PathCounts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.common.acl.AclBinding;
import org.slf4j.LoggerFactory;

/**
 * Attempts forbidden operations with stock clients, directly at the broker and through the proxy. Then revokes ACLs
 * while clients are running. Some of the users may describe the topic, so the broker refuses their Produce or Fetch
 * itself, which goes by RDMA.
 */
final class SecurityCheck {
    private final SecureAdmission admission;
    private final String straight;
    private final String proxied;
    private final Supplier<PathCounts> counts;

    /** @param counts supplies the proxy's current counts */
    SecurityCheck(SecureAdmission admission, String straight, String proxied, Supplier<PathCounts> counts) {
        this.admission = admission;
        this.straight = straight;
        this.proxied = proxied;
        this.counts = counts;
    }

    SecurityResult run(Administrator administrator) {
        // Clients log each refusal, and all refusals here are expected.
        Logger clients = (Logger) LoggerFactory.getLogger("org.apache.kafka");
        Level usual = clients.getLevel();
        clients.setLevel(Level.OFF);
        try {
            PathCounts before = counts.get();
            long writtenBefore = administrator.written();
            List<Attempt> attempts = attempts();
            long written = administrator.written() - writtenBefore;
            PathCounts moved = counts.get().since(before);
            Withdrawal write =
                    withdrawal(Administrator.SENSORS_WRITE, administrator, StockClient.Work.PRODUCE, Role.SENSORS);
            Withdrawal read =
                    withdrawal(Administrator.DASHBOARD_READ, administrator, StockClient.Work.CONSUME, Role.DASHBOARD);
            return new SecurityResult(
                    attempts, written, moved.rdmaFetched() + moved.tcpFetched(), List.of(write, read));
        } finally {
            clients.setLevel(usual);
        }
    }

    private List<Attempt> attempts() {
        List<Attempt> attempts = new ArrayList<>();
        attempts.add(attempt(StockClient.Work.PRODUCE, Role.INTRUDER));
        attempts.add(attempt(StockClient.Work.CONSUME, Role.INTRUDER));
        attempts.add(attempt(StockClient.Work.PRODUCE, Role.DASHBOARD));
        attempts.add(attempt(StockClient.Work.CONSUME, Role.SENSORS));
        Map<String, Object> guess = admission.clientWithWrongPassword(Role.SENSORS);
        attempts.add(Attempt.toLogInWithWrongPassword(Role.SENSORS, guess, straight, proxied));
        return attempts;
    }

    private Attempt attempt(StockClient.Work work, Role role) {
        return Attempt.toDo(work, role, admission.client(role), straight, proxied);
    }

    private Withdrawal withdrawal(AclBinding rule, Administrator administrator, StockClient.Work work, Role role) {
        return Withdrawal.of(rule, administrator, work, proxied, admission.client(role), counts);
    }
}
