// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.Event;
import io.slipstream.history.ResourcePhase;
import io.slipstream.history.RunEvent.ResourceCounted;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** I21: every resource returns to its baseline. */
final class Residue implements Check {
    private final Findings findings;
    private final Map<String, ResourceCounted> baselines = new TreeMap<>();

    Residue(Findings findings) {
        this.findings = findings;
    }

    @Override
    public Set<Class<? extends Event>> interests() {
        return Set.of(ResourceCounted.class);
    }

    @Override
    public void visit(Event event) {
        findings.checked(Invariant.I21, 1);
        ResourceCounted counted = (ResourceCounted) event;
        String key = counted.process() + " " + counted.resource();
        if (counted.phase() == ResourcePhase.BASELINE) {
            baselines.put(key, counted);
            return;
        }
        ResourceCounted baseline = baselines.get(key);
        if (baseline == null) {
            report("unknown-baseline", key, "it was not counted before", counted);
        } else if (Math.abs(counted.count() - baseline.count()) > counted.tolerance()) {
            report("leak", key, "it was " + baseline.count() + " and is " + counted.count(), counted);
        }
    }

    private void report(String name, String where, String what, Event event) {
        findings.add(Invariant.I21, name, where, what, () -> List.of(event.toString()));
    }
}
