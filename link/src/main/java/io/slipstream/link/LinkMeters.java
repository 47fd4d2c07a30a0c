// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link;

import io.slipstream.link.meter.GrantKind;
import io.slipstream.link.meter.LinkFailure;
import io.slipstream.link.meter.Meter;
import io.slipstream.link.work.OperationMeters;
import io.slipstream.metrics.Label;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlResponse;
import java.util.concurrent.atomic.LongAdder;

/** Meters that links and their users record into; resolved once. */
public final class LinkMeters {
    public final LongAdder linksUp;
    public final LongAdder sessionsBound;
    public final LongAdder grants;
    public final LongAdder fetchWaits;
    public final LongAdder slotRetries;
    public final LongAdder prefetchedBytes;
    public final LongAdder sharedReadBytes;
    public final LongAdder readsRevoked;
    final LongAdder grantsExpired;
    final LongAdder fencesDrained;
    final LongAdder fencesAbandoned;
    final OperationMeters operations;
    final MeterRegistry registry;

    public LinkMeters(MeterRegistry registry) {
        this.registry = registry;
        linksUp = registry.count(Meter.LINKS_UP);
        sessionsBound = registry.count(Meter.SESSIONS_BOUND);
        grants = registry.count(Meter.GRANTS);
        fetchWaits = registry.count(Meter.FETCH_WAITS);
        slotRetries = registry.count(Meter.SLOT_RETRIES);
        prefetchedBytes = registry.count(Meter.PREFETCHED_BYTES);
        sharedReadBytes = registry.count(Meter.SHARED_READ_BYTES);
        readsRevoked = registry.count(Meter.GRANTS_REVOKED, Label.valueOf(GrantKind.READ));
        grantsExpired = registry.count(Meter.GRANTS_EXPIRED);
        fencesDrained = registry.count(Meter.FENCES, "drained");
        fencesAbandoned = registry.count(Meter.FENCES, "abandoned");
        operations = new OperationMeters(registry);
    }

    /** Counts the plugin's answer to a grant request; null (no answer) is not counted. */
    public void granted(GrantKind kind, ControlResponse answer) {
        if (answer != null && answer.error() == ControlError.NONE) {
            registry.count(Meter.GRANTS_GRANTED, Label.valueOf(kind)).increment();
        } else if (answer != null) {
            registry.count(Meter.GRANTS_REFUSED, Label.valueOf(kind), Label.valueOf(answer.error()))
                    .increment();
        }
    }

    /** {@code cause} is from a closed set. */
    void linkFailed(LinkFailure cause) {
        registry.count(Meter.LINK_FAILURES, Label.valueOf(cause)).increment();
    }
}
