// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import io.slipstream.link.meter.DisconnectCause;
import io.slipstream.link.meter.FallbackReason;
import io.slipstream.link.meter.Meter;
import io.slipstream.metrics.Label;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.proxy.live.LivePage;
import io.slipstream.proxy.live.LiveReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * Meters of all sessions, resolved once. Meters of Produce and Fetch exist from the start, those of another API from
 * its first use. Thread-safe.
 */
final class SessionMeters {
    private static final String TCP = "tcp";
    private static final String RDMA = "rdma";
    private static final String UNKNOWN_API = "UNKNOWN";
    /** Above every existing API key. */
    private static final int MAX_API_KEYS = 256;

    final LongAdder clients;
    final LongAdder clientsOpened;
    final LongAdder upstreams;
    final LongAdder upstreamsOpened;
    final LongAdder inFlight;

    private final MeterRegistry registry;
    private final LongAdder[] fallbacks = new LongAdder[FallbackReason.values().length];
    private final LongAdder[] disconnects = new LongAdder[DisconnectCause.values().length];
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
            fallbacks[reason.ordinal()] = registry.count(Meter.FALLBACKS, Label.valueOf(reason));
        }
        for (DisconnectCause cause : DisconnectCause.values()) {
            disconnects[cause.ordinal()] = registry.count(Meter.DISCONNECTS, Label.valueOf(cause));
        }
        for (ApiKeys api : new ApiKeys[] {ApiKeys.PRODUCE, ApiKeys.FETCH}) {
            of(api.id, false);
            of(api.id, true);
        }
    }

    LongAdder fallbacks(FallbackReason reason) {
        return fallbacks[reason.ordinal()];
    }

    LongAdder disconnects(DisconnectCause cause) {
        return disconnects[cause.ordinal()];
    }

    ApiMeters of(short apiKey, boolean rdma) {
        AtomicReferenceArray<ApiMeters> ofPath = rdma ? overRdma : overTcp;
        int index = apiKey >= 0 && apiKey < MAX_API_KEYS ? apiKey : MAX_API_KEYS;
        ApiMeters found = ofPath.get(index);
        return found != null ? found : resolve(ofPath, index, apiKey, rdma);
    }

    List<LivePage.Api> liveApis() {
        List<LivePage.Api> apis = new ArrayList<>();
        for (int i = 0; i <= MAX_API_KEYS; i++) {
            add(apis, nameOf(i), TCP, overTcp.get(i));
            add(apis, nameOf(i), RDMA, overRdma.get(i));
        }
        return apis;
    }

    private static void add(List<LivePage.Api> apis, String api, String path, ApiMeters meters) {
        if (meters != null) {
            apis.add(new LivePage.Api(
                    api,
                    path,
                    meters.requests().sum(),
                    meters.records().sum(),
                    meters.requestBytes().sum(),
                    meters.responseBytes().sum(),
                    LiveReport.sparse(meters.latency().counts())));
        }
    }

    /** Number of requests by reason, in lower case. */
    Map<String, Long> liveFallbacks() {
        Map<String, Long> byReason = new TreeMap<>();
        for (FallbackReason reason : FallbackReason.values()) {
            byReason.put(Label.valueOf(reason), fallbacks(reason).sum());
        }
        return byReason;
    }

    private static String nameOf(int apiKey) {
        return ApiKeys.hasId(apiKey) ? ApiKeys.forId(apiKey).name() : UNKNOWN_API;
    }

    private ApiMeters resolve(AtomicReferenceArray<ApiMeters> ofPath, int index, short apiKey, boolean rdma) {
        ApiMeters made = new ApiMeters(registry, nameOf(apiKey), rdma ? RDMA : TCP);
        // Two threads that get here at once resolve the same series.
        ofPath.set(index, made);
        return made;
    }
}
