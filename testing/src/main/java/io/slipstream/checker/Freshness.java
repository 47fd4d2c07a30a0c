// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.ClientEvent.Polled;
import io.slipstream.history.Event;
import io.slipstream.history.ValueId;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * The freshness part of I7: the time from acknowledgement until a consumer that already reads the partition has the
 * value. Reported, not judged, because faults determine it.
 */
final class Freshness implements Check {
    private final Facts facts;
    private final Map<Long, Long> sinceNs = new HashMap<>();
    private long worstNs;

    Freshness(Facts facts) {
        this.facts = facts;
    }

    @Override
    public Set<Class<? extends Event>> interests() {
        return Set.of(Polled.class);
    }

    @Override
    public void visit(Event event) {
        Polled polled = (Polled) event;
        long since = sinceNs.computeIfAbsent((long) polled.consumer() << 32 | polled.partition(), any -> polled.atNs());
        int last = polled.records().size() - 1;
        if (last < 0 || facts.consumer(polled.consumer()).isFinal()) {
            return;
        }
        // The first record of a poll has waited longest.
        long value = polled.records().value(0);
        SendColumns sends = facts.senderOf(value);
        if (sends != null
                && sends.isOk(ValueId.sequence(value))
                && sends.completedNs(ValueId.sequence(value)) > since) {
            worstNs = Math.max(worstNs, polled.atNs() - sends.completedNs(ValueId.sequence(value)));
        }
    }

    long worstNs() {
        return worstNs;
    }
}
