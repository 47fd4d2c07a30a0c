// SPDX-License-Identifier: Apache-2.0
package io.slipstream.quickstart;

import io.slipstream.process.Deadline;
import io.slipstream.process.PathCounts;
import io.slipstream.process.Patience;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.errors.TopicAuthorizationException;

/**
 * The result of revoking an ACL while its client works through the proxy.
 *
 * @param events events that succeeded before the refusal
 * @param paths their paths, by the proxy's count
 * @param refusedAfterMs time from the deletion request of the ACL to the client's exception; -1 if none came in time
 * @param refusal the client's error, or the failure that came instead
 */
record Withdrawal(String what, long events, PathCounts paths, long refusedAfterMs, String refusal) {
    private static final Duration AT_WORK = Duration.ofMillis(500);
    private static final Duration SETTLING = Patience.ofSeconds(2);
    private static final Duration PATIENCE = Patience.ofSeconds(10);
    private static final long NS_PER_MS = 1_000_000;

    boolean isRefused() {
        return refusedAfterMs >= 0 && refusal.equals(TopicAuthorizationException.class.getSimpleName());
    }

    /** Revokes the ACL, waits for the refusal, and restores the ACL. */
    static Withdrawal of(
            AclBinding rule,
            Administrator administrator,
            StockClient.Work work,
            String proxied,
            Map<String, Object> settings,
            Supplier<PathCounts> counts) {
        String what = rule.entry().principal().substring("User:".length()) + " loses "
                + rule.entry().operation();
        PathCounts before = counts.get();
        long events = 0;
        long askedNs = 0;
        long refusedAfterMs = -1;
        String refusal;
        Future<?> taken = null;
        try (StockClient client = work.start(proxied, settings)) {
            settleIn(client, counts);
            before = counts.get();
            Deadline atWork = Deadline.after(AT_WORK);
            while (!atWork.isOver()) {
                events += client.proceed();
            }
            askedNs = System.nanoTime();
            taken = administrator.take(rule);
            Deadline deadline = Deadline.after(PATIENCE);
            while (!deadline.isOver()) {
                events += client.proceed();
            }
            refusal = "not refused within " + PATIENCE.toSeconds() + " s";
        } catch (RuntimeException refused) {
            refusal = refused.getClass().getSimpleName();
            refusedAfterMs = taken == null ? -1 : (System.nanoTime() - askedNs) / NS_PER_MS;
        }
        PathCounts paths = counts.get().since(before);
        administrator.giveBack(rule, taken);
        return new Withdrawal(what, events, paths, refusedAfterMs, refusal);
    }

    /**
     * Waits until the client's first request goes by RDMA. A request before its connection is bound may take TCP, and a
     * single Fetch returns thousands of events.
     */
    private static void settleIn(StockClient client, Supplier<PathCounts> counts) {
        long before = counts.get().byRdma();
        Deadline deadline = Deadline.after(SETTLING);
        do {
            client.proceed();
        } while (counts.get().byRdma() == before && !deadline.isOver());
    }
}
