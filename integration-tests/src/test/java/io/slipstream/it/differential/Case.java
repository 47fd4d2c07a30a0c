package io.slipstream.it.differential;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * One script and what must be true of its way through the proxy.
 *
 * @param byRdma the APIs of which at least one request must have gone by RDMA in the arm where RDMA is on
 * @param nothingByTcp whether there no Produce request may have gone by TCP
 * @param fallbacks reasons for which at least one request must have fallen back there
 * @param core whether it also runs on the older broker line
 */
record Case(String name, Set<Api> byRdma, boolean nothingByTcp, List<String> fallbacks, boolean core, Script script) {
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
        return new Case(name, EnumSet.noneOf(Api.class), false, List.of(), false, script);
    }

    Case byRdma(Api first, Api... rest) {
        return new Case(name, EnumSet.of(first, rest), nothingByTcp, fallbacks, core, script);
    }

    /** All of its Produce requests are eligible, and there is one. */
    Case producesByRdmaOnly() {
        Set<Api> apis = EnumSet.of(Api.PRODUCE);
        apis.addAll(byRdma);
        return new Case(name, apis, true, fallbacks, core, script);
    }

    /** Some of its requests must be refused by the fast path. */
    Case fallsBackFor(String... reasons) {
        return new Case(name, byRdma, nothingByTcp, List.of(reasons), core, script);
    }

    Case inCore() {
        return new Case(name, byRdma, nothingByTcp, fallbacks, true, script);
    }

    @Override
    public String toString() {
        return name;
    }
}
