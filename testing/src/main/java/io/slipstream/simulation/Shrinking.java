// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation;

import java.util.ArrayList;
import java.util.List;

/**
 * Reduces a failing scenario while it still violates the same invariant: fewer faults, fewer clients and requests,
 * whole messages.
 */
public final class Shrinking {
    private static final int MOST_RUNS = 300;

    private final String invariant;
    private Scenario smallest;
    private int runs;

    private Shrinking(Scenario failing, String invariant) {
        this.smallest = failing;
        this.invariant = invariant;
    }

    /** Returns the smallest scenario found; {@code failing} itself if nothing can be removed. */
    public static Scenario shrink(Scenario failing) {
        Violation violation = Simulation.run(failing, false).violation();
        if (violation == null) {
            return failing;
        }
        Shrinking shrinking = new Shrinking(failing, violation.invariant());
        // Steps one at a time may end with a fault that only the shortened producers need.
        shrinking.takeFirst(alone(failing));
        while (shrinking.step() && shrinking.runs < MOST_RUNS) {
            // Each successful step enables others.
        }
        return shrinking.smallest;
    }

    /** Returns whether one producer alone, without a fault, violates the same invariant. */
    public static boolean failsAlone(Scenario failing) {
        Violation violation = Simulation.run(failing, false).violation();
        return violation != null && new Shrinking(failing, violation.invariant()).takeFirst(alone(failing));
    }

    /** Each producer alone, without a fault. */
    private static List<Scenario> alone(Scenario failing) {
        Scenario faultless = failing.withFaults(List.of());
        return failing.producers().stream()
                .map(producer -> faultless.withClients(List.of(producer), List.of()))
                .toList();
    }

    private boolean step() {
        return takeFirst(candidates());
    }

    /** Returns whether one of the candidates fails in the same way; the first one is the smallest scenario then. */
    private boolean takeFirst(List<Scenario> candidates) {
        for (Scenario candidate : candidates) {
            Violation violation =
                    ++runs > MOST_RUNS ? null : Simulation.run(candidate, false).violation();
            if (violation != null && violation.invariant().equals(invariant)) {
                smallest = candidate;
                return true;
            }
        }
        return false;
    }

    private List<Scenario> candidates() {
        List<Scenario> candidates = new ArrayList<>();
        for (int i = 0; i < smallest.faults().size(); i++) {
            candidates.add(smallest.withFaults(without(smallest.faults(), i)));
        }
        for (int i = 0; i < smallest.consumers().size(); i++) {
            candidates.add(smallest.withClients(smallest.producers(), without(smallest.consumers(), i)));
        }
        for (int i = 0; i < smallest.producers().size(); i++) {
            candidates.add(smallest.withClients(without(smallest.producers(), i), smallest.consumers()));
        }
        // After the removals: two producers with a batch each may fail only together.
        for (int i = 0; i < smallest.producers().size(); i++) {
            Scenario.ProducerPlan plan = smallest.producers().get(i);
            if (plan.batches() > 1) {
                List<Scenario.ProducerPlan> shorter = new ArrayList<>(smallest.producers());
                shorter.set(i, plan.withBatches(plan.batches() / 2));
                candidates.add(smallest.withClients(shorter, smallest.consumers()));
            }
        }
        if (smallest.tornPercent() > 0 || smallest.throttlePercent() > 0) {
            candidates.add(smallest.untorn());
        }
        return candidates;
    }

    private static <T> List<T> without(List<T> list, int index) {
        List<T> rest = new ArrayList<>(list);
        rest.remove(index);
        return rest;
    }
}
