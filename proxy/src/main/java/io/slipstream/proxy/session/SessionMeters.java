package io.slipstream.proxy.session;

import io.slipstream.metrics.Count;
import io.slipstream.metrics.Meter;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.proxy.fastpath.FallbackReason;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.apache.kafka.common.protocol.ApiKeys;

/** What all sessions count, resolved once. Meters of an API appear when it is first used. Thread-safe. */
final class SessionMeters {
    private static final String TCP = "tcp";
    private static final String RDMA = "rdma";
    private static final String UNKNOWN_API = "UNKNOWN";
    /** Above every API key there is. */
    private static final int MAX_API_KEYS = 256;

    final Count clients;
    final Count clientsOpened;
    final Count upstreams;
    final Count upstreamsOpened;
    final Count inFlight;

    private final MeterRegistry registry;
    private final Count[] fallbacks = new Count[FallbackReason.values().length];
    private final Count[] disconnects = new Count[DisconnectCause.values().length];
    private final AtomicReferenceArray<ApiMeters> overTcp = new AtomicReferenceArray<>(MAX_API_KEYS + 1);
    private final AtomicReferenceArray<ApiMeters> overRdma = new AtomicReferenceArray<>(MAX_API_KEYS + 1);

    SessionMeters(MeterRegistry registry) {
        this.registry = registry;
        clients = registry.count(Meter.CONNECTIONS, "client");
        clientsOpened = registry.count(Meter.CONNECTIONS_OPENED, "client");
        upstreams = registry.count(Meter.CONNECTIONS, "upstream");
        upstreamsOpened = registry.count(Meter.CONNECTIONS_OPENED, "upstream");
        inFlight = registry.count(Meter.REQUESTS_IN_FLIGHT);
        for (FallbackReason reason : FallbackReason.values()) {
            fallbacks[reason.ordinal()] =
                    registry.count(Meter.FALLBACKS, reason.name().toLowerCase(Locale.ROOT));
        }
        for (DisconnectCause cause : DisconnectCause.values()) {
            disconnects[cause.ordinal()] = registry.count(Meter.DISCONNECTS, cause.label());
        }
    }

    Count fallbacks(FallbackReason reason) {
        return fallbacks[reason.ordinal()];
    }

    Count disconnects(DisconnectCause cause) {
        return disconnects[cause.ordinal()];
    }

    ApiMeters of(short apiKey, boolean rdma) {
        AtomicReferenceArray<ApiMeters> ofPath = rdma ? overRdma : overTcp;
        int index = apiKey >= 0 && apiKey < MAX_API_KEYS ? apiKey : MAX_API_KEYS;
        ApiMeters found = ofPath.get(index);
        return found != null ? found : resolve(ofPath, index, apiKey, rdma);
    }

    private ApiMeters resolve(AtomicReferenceArray<ApiMeters> ofPath, int index, short apiKey, boolean rdma) {
        String api = ApiKeys.hasId(apiKey) ? ApiKeys.forId(apiKey).name() : UNKNOWN_API;
        ApiMeters made = new ApiMeters(registry, api, rdma ? RDMA : TCP);
        // Two threads that get here together resolve the same series.
        ofPath.set(index, made);
        return made;
    }
}
