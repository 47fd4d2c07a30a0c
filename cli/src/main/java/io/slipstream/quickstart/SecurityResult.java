// SPDX-License-Identifier: Apache-2.0
package io.slipstream.quickstart;

import io.slipstream.process.PathCounts;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The result of a {@link SecurityCheck}.
 *
 * @param written records added to the logs during the attempts; must be 0
 * @param read records that the proxy delivered during the attempts; must be 0
 */
record SecurityResult(List<Attempt> attempts, long written, long read, List<Withdrawal> withdrawals) {
    private static final double LEAST_RDMA_SHARE = 0.95;

    /** Returns whether enough records went by RDMA for a run with RDMA. */
    static boolean isEnough(PathCounts paths) {
        return paths.rdmaShare() >= LEAST_RDMA_SHARE;
    }

    /**
     * Returns whether no unauthorized client succeeded.
     *
     * @param rdma whether the records of authorized clients must have gone by RDMA
     */
    boolean isTight(boolean rdma) {
        return attempts.stream().allMatch(Attempt::isRefused)
                && written == 0
                && read == 0
                && withdrawals.stream().allMatch(each -> each.isRefused() && (!rdma || isEnough(each.paths())));
    }

    void print(PrintStream out) {
        out.printf("%n%-32s %-30s %s%n", "refused", "directly at the broker", "through the proxy");
        for (Attempt attempt : attempts) {
            out.printf(
                    "%-32s %-30s %s%s%n",
                    attempt.what(), attempt.straight(), attempt.proxied(), attempt.isRefused() ? "" : "  WRONG");
        }
        out.printf(
                "records written during the attempts: %d, read through the proxy: %d%s%n",
                written, read, written == 0 && read == 0 ? "" : "  WRONG");
        out.printf("%n%-32s %12s %12s %12s%n", "ACL revoked during work", "refused, ms", "events", "RDMA");
        for (Withdrawal each : withdrawals) {
            out.printf(
                    Locale.ROOT,
                    "%-32s %12d %12d %10.2f %%  %s%s%n",
                    each.what(),
                    each.refusedAfterMs(),
                    each.events(),
                    100 * each.paths().rdmaShare(),
                    each.refusal(),
                    each.isRefused() ? "" : "  WRONG");
        }
    }

    /** @param demonstrated path counts of the demonstration */
    Map<String, Object> json(PathCounts demonstrated, boolean tight) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("protocol", SecureAdmission.PROTOCOL.name);
        json.put("mechanism", SecureAdmission.MECHANISM);
        json.put("tight", tight);
        json.put("rdmaShare", demonstrated.rdmaShare());
        json.put("recordsWrittenByRefused", written);
        json.put("recordsReadByRefused", read);
        List<Map<String, Object>> tried = new ArrayList<>();
        for (Attempt attempt : attempts) {
            Map<String, Object> each = new LinkedHashMap<>();
            each.put("what", attempt.what());
            each.put("straight", attempt.straight());
            each.put("proxied", attempt.proxied());
            each.put("refused", attempt.isRefused());
            tried.add(each);
        }
        json.put("attempts", tried);
        List<Map<String, Object>> taken = new ArrayList<>();
        for (Withdrawal withdrawal : withdrawals) {
            Map<String, Object> each = new LinkedHashMap<>();
            each.put("what", withdrawal.what());
            each.put("events", withdrawal.events());
            each.put("rdmaShare", withdrawal.paths().rdmaShare());
            each.put("refusedAfterMs", withdrawal.refusedAfterMs());
            each.put("refusal", withdrawal.refusal());
            each.put("refused", withdrawal.isRefused());
            taken.add(each);
        }
        json.put("withdrawals", taken);
        return json;
    }
}
