// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import io.slipstream.protocol.ring.RingApis;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * One script and its expectations for the proxy.
 *
 * @param byRdma APIs with at least one request by RDMA in the arm with RDMA
 * @param onlyByRdma APIs without any request by TCP there
 * @param fallbacks reasons with at least one fallback there
 * @param core whether it also runs on the older broker line
 */
record Case(
        String name,
        Set<ApiKeys> byRdma,
        Set<ApiKeys> onlyByRdma,
        List<String> fallbacks,
        boolean core,
        Script script) {
    /** The APIs that the request ring carries beside Produce, at some version. */
    static final Set<ApiKeys> OF_RING = EnumSet.copyOf(Arrays.stream(ApiKeys.values())
            .filter(api -> api != ApiKeys.PRODUCE && RingApis.carries(api.id, api.latestVersion(false))
                    || api == ApiKeys.ADD_PARTITIONS_TO_TXN)
            .toList());

    @FunctionalInterface
    interface Script {
        void run(ArmContext arm) throws Exception;
    }

    static Case of(String name, Script script) {
        return new Case(name, EnumSet.noneOf(ApiKeys.class), EnumSet.noneOf(ApiKeys.class), List.of(), false, script);
    }

    Case byRdma(ApiKeys first, ApiKeys... rest) {
        return new Case(name, EnumSet.of(first, rest), onlyByRdma, fallbacks, core, script);
    }

    /** It has Produce requests, and all are eligible. */
    Case producesByRdmaOnly() {
        return onlyByRdma(ApiKeys.PRODUCE);
    }

    /** It has Fetch requests, and all are eligible. */
    Case fetchesByRdmaOnly() {
        return onlyByRdma(ApiKeys.FETCH);
    }

    private Case onlyByRdma(ApiKeys api) {
        return onlyByRdma(EnumSet.of(api));
    }

    /** It has requests of these APIs, and all are eligible. */
    Case onlyByRdma(Set<ApiKeys> apis) {
        Set<ApiKeys> some = EnumSet.copyOf(apis);
        some.addAll(byRdma);
        Set<ApiKeys> only = EnumSet.copyOf(apis);
        only.addAll(onlyByRdma);
        return new Case(name, some, only, fallbacks, core, script);
    }

    /** The fast path must refuse some of its requests. */
    Case fallsBackFor(String... reasons) {
        return new Case(name, byRdma, onlyByRdma, List.of(reasons), core, script);
    }

    Case inCore() {
        return new Case(name, byRdma, onlyByRdma, fallbacks, true, script);
    }

    @Override
    public String toString() {
        return name;
    }
}
