package io.slipstream.proxy.fastpath.link;

import io.slipstream.metrics.Count;
import io.slipstream.metrics.LatencyHistogram;
import io.slipstream.metrics.Meter;
import io.slipstream.metrics.MeterRegistry;

/** Series that links and their users record into; resolved once. */
public final class LinkMeters {
    public final Count linksUp;
    public final Count sessionsBound;
    public final Count grants;
    public final Count fetchWaits;
    public final Count slotRetries;
    public final Count prefetchedBytes;
    public final Count sharedReadBytes;
    public final LatencyHistogram readLatency;
    public final LatencyHistogram replyLatency;
    private final MeterRegistry registry;

    public LinkMeters(MeterRegistry registry) {
        this.registry = registry;
        linksUp = registry.count(Meter.LINKS_UP);
        sessionsBound = registry.count(Meter.SESSIONS_BOUND);
        grants = registry.count(Meter.GRANTS);
        fetchWaits = registry.count(Meter.FETCH_WAITS);
        slotRetries = registry.count(Meter.SLOT_RETRIES);
        prefetchedBytes = registry.count(Meter.PREFETCHED_BYTES);
        sharedReadBytes = registry.count(Meter.SHARED_READ_BYTES);
        readLatency = registry.latency(Meter.TRANSPORT_LATENCY, "read");
        replyLatency = registry.latency(Meter.TRANSPORT_LATENCY, "request");
    }

    /** {@code cause} is from a closed set. */
    void linkFailed(LinkFailure cause) {
        registry.count(Meter.LINK_FAILURES, cause.label()).increment();
    }

    MeterRegistry registry() {
        return registry;
    }
}
