// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.judge;

import io.slipstream.history.ClientEvent.ClientFailed;
import io.slipstream.history.ClientEvent.OffsetsCommitted;
import io.slipstream.history.ClientEvent.ProducerInitialized;
import io.slipstream.history.ClientEvent.SendCompleted;
import io.slipstream.history.ClientEvent.TransactionEnded;
import io.slipstream.history.ClientEvent.TransactionOffsetsSent;
import io.slipstream.history.Event;
import io.slipstream.history.RunEvent.FaultBegun;
import io.slipstream.history.RunEvent.FaultEnded;
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

    void visit(Event event) {
        if (event instanceof SendCompleted sent) {
            saw("p" + sent.producer(), sent.error(), sent.atNs());
        } else if (event instanceof OffsetsCommitted committed) {
            saw("c" + committed.consumer(), committed.error(), committed.atNs());
        } else if (event instanceof TransactionEnded ended) {
            saw("p" + ended.producer(), ended.error(), ended.atNs());
        } else if (event instanceof TransactionOffsetsSent sent) {
            saw("p" + sent.producer(), sent.error(), sent.atNs());
        } else if (event instanceof ProducerInitialized initialized) {
            saw("p" + initialized.producer(), initialized.error(), initialized.atNs());
        } else if (event instanceof ClientFailed failed) {
            saw(failed.client(), failed.error(), failed.atNs());
        } else if (event instanceof FaultBegun begun) {
            latest = begun.fault();
            lasting.add(begun.fault());
        } else if (event instanceof FaultEnded ended) {
            lasting.remove(ended.fault());
            healedNs = ended.atNs();
        }
    }

    /** @param error empty for a success */
    private void saw(String session, String error, long atNs) {
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
