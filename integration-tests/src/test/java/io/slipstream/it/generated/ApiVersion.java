// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.generated;

import io.slipstream.protocol.ring.RingApis;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.common.message.ApiMessageType.ListenerType;
import org.apache.kafka.common.protocol.ApiKeys;

/** One version of an API, to be compared. */
public record ApiVersion(ApiKeys api, short version) {
    /** Its answer names the epoch of the metadata at that moment. Other tests read what the proxy does with it. */
    private static final Set<ApiKeys> LEFT_OUT = Set.of(ApiKeys.API_VERSIONS);

    /** Returns the oldest and the newest version of each API that the request ring carries. */
    public static List<ApiVersion> ofRing() {
        return ofClients()
                .flatMap(api -> ends(IntStream.rangeClosed(0, Short.MAX_VALUE)
                                .filter(version -> RingApis.carries(api.id, (short) version)))
                        .stream()
                        .map(version -> new ApiVersion(api, version.shortValue())))
                .toList();
    }

    /** Returns the oldest and the newest version of each API of clients, of those that the ring does not carry. */
    public static List<ApiVersion> besideTheRing() {
        return ofClients()
                .filter(api -> !LEFT_OUT.contains(api))
                .flatMap(api -> ends(IntStream.rangeClosed(api.oldestVersion(), api.latestVersion(false))
                                .filter(version -> !RingApis.carries(api.id, (short) version)))
                        .stream()
                        .map(version -> new ApiVersion(api, version.shortValue())))
                .toList();
    }

    private static Stream<ApiKeys> ofClients() {
        return Arrays.stream(ApiKeys.values()).filter(api -> api.inScope(ListenerType.BROKER) && !api.clusterAction);
    }

    private static Collection<Integer> ends(IntStream versions) {
        TreeSet<Integer> all = new TreeSet<>();
        versions.forEach(all::add);
        return all.isEmpty() ? all : new TreeSet<>(List.of(all.first(), all.last()));
    }

    public boolean isCarried() {
        return RingApis.carries(api.id, version);
    }

    /** Whether a later request of this API has a newer version, in lists of the oldest and the newest. */
    boolean isEarly() {
        return version < api.latestVersion(false);
    }

    @Override
    public String toString() {
        return api + " v" + version;
    }
}
