package io.slipstream.broker.landing;

import java.util.IdentityHashMap;
import java.util.Map;

/** Landings by the broker's objects that the hooks name. Immutable; copied on each change. */
record LandingIndex<L>(Map<Object, L> byFile, Map<Object, L> byPartition, Map<Object, L> byLog) {
    static <L> LandingIndex<L> empty() {
        return new LandingIndex<>(Map.of(), Map.of(), Map.of());
    }

    LandingIndex<L> with(LandableLog log, LandableLog.ActiveSegment segment, L landing) {
        return new LandingIndex<>(
                with(byFile, segment.identity(), landing),
                with(byPartition, log.partitionIdentity(), landing),
                with(byLog, log.identity(), landing));
    }

    LandingIndex<L> without(L landing) {
        return new LandingIndex<>(without(byFile, landing), without(byPartition, landing), without(byLog, landing));
    }

    private static <L> Map<Object, L> with(Map<Object, L> map, Object key, L landing) {
        Map<Object, L> more = new IdentityHashMap<>(map);
        more.put(key, landing);
        return more;
    }

    private static <L> Map<Object, L> without(Map<Object, L> map, L landing) {
        Map<Object, L> fewer = new IdentityHashMap<>(map);
        fewer.values().removeIf(value -> value == landing);
        return fewer;
    }
}
