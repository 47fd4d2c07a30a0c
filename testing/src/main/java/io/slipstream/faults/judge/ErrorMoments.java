// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.judge;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Counts the sessions that saw an error, by the fault during or after which they saw it. */
final class ErrorMoments {
    /** An error later after a fault has another cause; longer than all timeouts of a client. */
    private static final long RECOVERY_NS = 30_000_000_000L;

    private final Map<Service.Seen, Set<String>> sessions = new HashMap<>();
    private final Set<Integer> lasting = new HashSet<>();
    private int latest = Service.QUIET;
    private long healedNs;

    void begun(int fault) {
        latest = fault;
        lasting.add(fault);
    }

    void healed(int fault, long atNs) {
        lasting.remove(fault);
        healedNs = atNs;
    }

    /** @param error empty for a success */
    void saw(String session, String error, long atNs) {
        if (!error.isEmpty()) {
            boolean quiet = lasting.isEmpty() && atNs - healedNs > RECOVERY_NS;
            Service.Seen seen = new Service.Seen(quiet ? Service.QUIET : latest, error);
            sessions.computeIfAbsent(seen, any -> new HashSet<>()).add(session);
        }
    }

    Map<Service.Seen, Integer> counts() {
        Map<Service.Seen, Integer> counts = new HashMap<>();
        sessions.forEach((seen, by) -> counts.put(seen, by.size()));
        return Map.copyOf(counts);
    }
}
