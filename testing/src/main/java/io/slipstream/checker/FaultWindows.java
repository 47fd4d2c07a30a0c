// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.ClientEvent.ClientFailed;
import io.slipstream.history.ClientEvent.OffsetsCommitted;
import io.slipstream.history.ClientEvent.Polled;
import io.slipstream.history.ClientEvent.SendCompleted;
import io.slipstream.history.ClientEvent.TransactionEnded;
import io.slipstream.history.Event;
import io.slipstream.history.Outcome;
import io.slipstream.history.RunEvent.FaultBegun;
import io.slipstream.history.RunEvent.FaultEnded;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Measures the successful operations during each fault and the classes of client errors, for the comparison with a
 * direct run.
 */
final class FaultWindows implements Check {
    private final Map<Integer, Open> open = new HashMap<>();
    private final List<FaultWindow> windows = new ArrayList<>();
    private final Set<String> errors = new TreeSet<>();

    private static final class Open {
        final FaultBegun begun;
        long lastNs;
        long longestGapNs;
        long okOperations;

        Open(FaultBegun begun) {
            this.begun = begun;
            lastNs = begun.atNs();
        }

        void succeed(long atNs, long operations) {
            longestGapNs = Math.max(longestGapNs, atNs - lastNs);
            lastNs = Math.max(lastNs, atNs);
            okOperations += operations;
        }
    }

    @Override
    public Set<Class<? extends Event>> interests() {
        return Set.of(
                FaultBegun.class,
                FaultEnded.class,
                SendCompleted.class,
                Polled.class,
                OffsetsCommitted.class,
                TransactionEnded.class,
                ClientFailed.class);
    }

    @Override
    public void visit(Event event) {
        if (event instanceof SendCompleted completed) {
            count(completed.atNs(), completed.outcome(), 1, completed.error());
        } else if (event instanceof Polled polled) {
            count(polled.atNs(), Outcome.OK, polled.records().size(), "");
        } else if (event instanceof OffsetsCommitted committed) {
            count(committed.atNs(), committed.outcome(), 1, committed.error());
        } else if (event instanceof TransactionEnded ended) {
            count(ended.atNs(), ended.outcome(), 1, ended.error());
        } else if (event instanceof ClientFailed failed) {
            errors.add(failed.error());
        } else if (event instanceof FaultBegun begun) {
            open.put(begun.fault(), new Open(begun));
        } else if (event instanceof FaultEnded ended) {
            close(ended.fault(), ended.atNs());
        }
    }

    private void count(long atNs, Outcome outcome, long operations, String error) {
        if (!error.isEmpty()) {
            errors.add(error);
        }
        if (outcome == Outcome.OK && !open.isEmpty()) {
            open.values().forEach(window -> window.succeed(atNs, operations));
        }
    }

    private void close(int fault, long atNs) {
        Open window = open.remove(fault);
        if (window != null) {
            window.succeed(atNs, 0);
            FaultBegun begun = window.begun;
            windows.add(new FaultWindow(
                    fault,
                    begun.faultClass(),
                    begun.target(),
                    atNs - begun.atNs(),
                    window.okOperations,
                    window.longestGapNs));
        }
    }

    List<FaultWindow> windows() {
        return List.copyOf(windows);
    }

    Set<String> errors() {
        return Set.copyOf(errors);
    }
}
