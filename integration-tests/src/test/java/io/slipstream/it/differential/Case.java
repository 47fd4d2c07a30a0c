// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * One script and what must be true of its way through the proxy.
 *
 * @param byRdma the APIs of which at least one request must have gone by RDMA in the arm where RDMA is on
 * @param onlyByRdma the APIs of which no request may have gone by TCP there
 * @param fallbacks reasons for which at least one request must have fallen back there
 * @param core whether it also runs on the older broker line
 */
record Case(String name, Set<Api> byRdma, Set<Api> onlyByRdma, List<String> fallbacks, boolean core, Script script) {
    /** The APIs that have a fast path. */
    enum Api {
        PRODUCE,
        FETCH;

        /** Value of the label {@code api} on the metrics page. */
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

    /** All of its Produce requests are eligible, and there is one. */
    Case producesByRdmaOnly() {
        return onlyByRdma(Api.PRODUCE);
    }

    /** All of its Fetch requests are eligible, and there is one. */
    Case fetchesByRdmaOnly() {
        return onlyByRdma(Api.FETCH);
    }

    private Case onlyByRdma(Api api) {
        Set<Api> some = EnumSet.of(api);
        some.addAll(byRdma);
        Set<Api> only = EnumSet.of(api);
        only.addAll(onlyByRdma);
        return new Case(name, some, only, fallbacks, core, script);
    }

    /** Some of its requests must be refused by the fast path. */
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
