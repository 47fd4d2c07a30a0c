package io.slipstream.it.differential;

import java.util.EnumSet;
import java.util.Set;

/**
 * One script and what must be true of its way through the proxy.
 *
 * @param byRdma the APIs of which at least one request must have gone by RDMA in the arm where RDMA is on
 * @param core whether it also runs on the older broker line
 */
record Case(String name, Set<Api> byRdma, boolean core, Script script) {
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
        return new Case(name, EnumSet.noneOf(Api.class), false, script);
    }

    Case byRdma(Api first, Api... rest) {
        return new Case(name, EnumSet.of(first, rest), core, script);
    }

    Case inCore() {
        return new Case(name, byRdma, true, script);
    }

    @Override
    public String toString() {
        return name;
    }
}
