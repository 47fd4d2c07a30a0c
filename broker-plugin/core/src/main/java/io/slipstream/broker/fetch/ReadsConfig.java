package io.slipstream.broker.fetch;

/**
 * Bounds of the read side.
 *
 * @param bootId random for each start of the broker; stands in each slot table's header
 * @param slotCount slots of each link's table
 * @param leaseMs how long a reader trusts a slot table after its heartbeat last moved, and so how long revoked slots and
 *     withdrawn regions are left alone before they are reused or deregistered
 * @param registeredBytes most bytes of segment files registered at a time, see {@link SegmentExports}
 * @param regionsGrow whether a region may be registered longer than its file and then covers what is appended (the {@code shm}
 *     provider); else an active segment is registered as long as it is, and again when it has grown
 */
public record ReadsConfig(long bootId, int slotCount, int leaseMs, long registeredBytes, boolean regionsGrow) {
    public ReadsConfig {
        if (slotCount < 1 || leaseMs < 4 || registeredBytes < 0) {
            throw new IllegalArgumentException("slot count " + slotCount + ", lease " + leaseMs
                    + " ms and registered bytes " + registeredBytes + " must not be negative or too small");
        }
    }

    long leaseNs() {
        return leaseMs * 1_000_000L;
    }
}
