// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.Event;
import io.slipstream.history.RdmaEvent.BytesLanded;
import io.slipstream.history.RdmaEvent.Fenced;
import io.slipstream.history.RdmaEvent.Granted;
import io.slipstream.history.RdmaEvent.RangeHashed;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * I19: each byte has at most one writable grant at a time. No write becomes visible outside a grant or after its fence,
 * and fenced bytes do not change.
 */
final class LeaseSafety implements Check {
    private final Findings findings;
    private final Map<Integer, Granted> grants = new HashMap<>();
    private final Map<Integer, Granted> open = new HashMap<>();
    private final Map<Integer, Fenced> fences = new HashMap<>();

    LeaseSafety(Findings findings) {
        this.findings = findings;
    }

    @Override
    public Set<Class<? extends Event>> interests() {
        return Set.of(Granted.class, BytesLanded.class, Fenced.class, RangeHashed.class);
    }

    @Override
    public void visit(Event event) {
        findings.checked(Invariant.I19, 1);
        if (event instanceof Granted granted) {
            grant(granted);
        } else if (event instanceof BytesLanded landed) {
            land(landed);
        } else if (event instanceof Fenced fenced) {
            open.remove(fenced.grant());
            fences.put(fenced.grant(), fenced);
        } else if (event instanceof RangeHashed hashed) {
            Fenced fence = fences.get(hashed.grant());
            if (fence != null && fence.hash() != hashed.hash()) {
                report("changed-after-fence", hashed.grant(), "its bytes changed after the fence", fence, hashed);
            }
        }
    }

    private void grant(Granted granted) {
        for (Granted other : open.values()) {
            boolean overlap = other.region() == granted.region()
                    && other.fromByte() < granted.toByte()
                    && granted.fromByte() < other.toByte();
            if (overlap && other.writable() && granted.writable()) {
                report(
                        "overlapping-grants",
                        granted.grant(),
                        "grant " + other.grant() + " of the same bytes was not fenced",
                        other,
                        granted);
            }
        }
        grants.put(granted.grant(), granted);
        open.put(granted.grant(), granted);
    }

    private void land(BytesLanded landed) {
        Granted granted = grants.get(landed.grant());
        if (fences.containsKey(landed.grant())) {
            report(
                    "write-after-fence",
                    landed.grant(),
                    "bytes landed after its fence",
                    fences.get(landed.grant()),
                    landed);
        } else if (granted == null
                || landed.fromByte() < granted.fromByte()
                || landed.toByte() > granted.toByte()
                || !granted.writable()) {
            report("write-outside-grant", landed.grant(), "bytes landed where nothing was granted", granted, landed);
        }
    }

    private void report(String name, int grant, String what, Event before, Event event) {
        findings.add(
                Invariant.I19, name, "grant " + grant, what, () -> List.of(String.valueOf(before), event.toString()));
    }
}
