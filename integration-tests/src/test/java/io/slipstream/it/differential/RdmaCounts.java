package io.slipstream.it.differential;

/** How many Produce and Fetch requests went by RDMA: one reading of the proxy's counters, or a difference of two. */
record RdmaCounts(long produce, long fetch) {
    static final RdmaCounts NONE = new RdmaCounts(0, 0);

    /** All zero where there is no proxy to ask or RDMA is off. */
    static RdmaCounts read(Arm arm) {
        if (arm.kind() != ArmKind.PROXY_RDMA) {
            return NONE;
        }
        return new RdmaCounts(arm.requests(Case.Api.PRODUCE, "rdma"), arm.requests(Case.Api.FETCH, "rdma"));
    }

    RdmaCounts plus(RdmaCounts other) {
        return new RdmaCounts(produce + other.produce, fetch + other.fetch);
    }

    RdmaCounts minus(RdmaCounts other) {
        return new RdmaCounts(produce - other.produce, fetch - other.fetch);
    }

    long of(Case.Api api) {
        return api == Case.Api.PRODUCE ? produce : fetch;
    }
}
