// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * One script and its expectations for the proxy.
 *
 * @param byRdma APIs with at least one request by RDMA in the arm with RDMA
 * @param onlyByRdma APIs without any request by TCP there
 * @param fallbacks reasons with at least one fallback there
 * @param core whether it also runs on the older broker line
 */
record Case(String name, Set<Api> byRdma, Set<Api> onlyByRdma, List<String> fallbacks, boolean core, Script script) {
    /** The APIs with a fast path. */
    enum Api {
        PRODUCE,
        FETCH,
        LIST_OFFSETS,
        OFFSET_COMMIT,
        OFFSET_FETCH,
        HEARTBEAT,
        LEAVE_GROUP,
        INIT_PRODUCER_ID,
        OFFSET_FOR_LEADER_EPOCH,
        ADD_PARTITIONS_TO_TXN,
        ADD_OFFSETS_TO_TXN,
        END_TXN,
        TXN_OFFSET_COMMIT,
        CONSUMER_GROUP_HEARTBEAT,
        SHARE_GROUP_HEARTBEAT;

        /** The APIs that the request ring carries beside Produce. */
        static final Set<Api> OF_RING = EnumSet.range(LIST_OFFSETS, SHARE_GROUP_HEARTBEAT);

        /** Returns the value of the label {@code api} on the metrics page. */
        String label() {
            return name();
        }
    }

    @FunctionalInterface
    interface Script {
        void run(ArmContext arm) throws Exception;
    }

    static Case of(String name, Script script) {
        return new Case(name, EnumSet.noneOf(Api.class), EnumSet.noneOf(Api.class), List.of(), false, script);
    }

    Case byRdma(Api first, Api... rest) {
        return new Case(name, EnumSet.of(first, rest), onlyByRdma, fallbacks, core, script);
    }

    /** It has Produce requests, and all are eligible. */
    Case producesByRdmaOnly() {
        return onlyByRdma(Api.PRODUCE);
    }

    /** It has Fetch requests, and all are eligible. */
    Case fetchesByRdmaOnly() {
        return onlyByRdma(Api.FETCH);
    }

    private Case onlyByRdma(Api api) {
        return onlyByRdma(EnumSet.of(api));
    }

    /** It has requests of these APIs, and all are eligible. */
    Case onlyByRdma(Set<Api> apis) {
        Set<Api> some = EnumSet.copyOf(apis);
        some.addAll(byRdma);
        Set<Api> only = EnumSet.copyOf(apis);
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
