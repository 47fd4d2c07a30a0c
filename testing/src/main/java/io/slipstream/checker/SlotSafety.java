// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.Event;
import io.slipstream.history.RdmaEvent.SlotAccepted;
import io.slipstream.history.RdmaEvent.SlotPublished;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * I20: every accepted snapshot was published unchanged. A reader never returns to an older broker life, generation or
 * sequence of a slot.
 */
final class SlotSafety implements Check {
    private final Findings findings;
    private final Map<Version, Long> published = new HashMap<>();
    private final Map<String, SlotAccepted> accepted = new HashMap<>();

    private record Version(long boot, int slot, long generation, long sequence) {}

    SlotSafety(Findings findings) {
        this.findings = findings;
    }

    @Override
    public Set<Class<? extends Event>> interests() {
        return Set.of(SlotPublished.class, SlotAccepted.class);
    }

    @Override
    public void visit(Event event) {
        if (event instanceof SlotPublished slot) {
            published.put(new Version(slot.boot(), slot.slot(), slot.generation(), slot.sequence()), slot.hash());
            return;
        }
        findings.checked(Invariant.I20, 1);
        SlotAccepted slot = (SlotAccepted) event;
        Long hash = published.get(new Version(slot.boot(), slot.slot(), slot.generation(), slot.sequence()));
        if (hash == null) {
            report("unpublished-slot", slot, "nobody published it", null);
        } else if (hash != slot.hash()) {
            report("torn-slot", slot, "its content is not what was published", null);
        }
        SlotAccepted before = accepted.put(slot.reader() + "/" + slot.slot(), slot);
        if (before != null && isOlder(slot, before)) {
            report("stale-slot", slot, "it is older than what the reader had", before);
        }
    }

    private static boolean isOlder(SlotAccepted slot, SlotAccepted before) {
        if (slot.boot() != before.boot()) {
            return slot.boot() < before.boot();
        }
        return slot.generation() != before.generation()
                ? slot.generation() < before.generation()
                : slot.sequence() < before.sequence();
    }

    private void report(String name, SlotAccepted slot, String what, SlotAccepted before) {
        findings.add(
                Invariant.I20,
                name,
                slot.reader() + ", slot " + slot.slot(),
                "accepted a snapshot, but " + what,
                () -> before == null ? List.of(slot.toString()) : List.of(before.toString(), slot.toString()));
    }
}
