// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.broker;

import io.slipstream.broker.fetch.ReadAccounts;
import java.util.HashMap;
import java.util.Map;

/** The broker's quotas: a principal may be served so many bytes, and no more for the rest of the run. */
public final class Books implements ReadAccounts {
    private final Rights rights;
    private final long mostBytes;
    private final Map<String, Long> charged = new HashMap<>();
    /** Bytes of records that clients got by RDMA. */
    private final Map<String, Long> recordBytes = new HashMap<>();

    /** @param mostBytes 0 for no quota */
    Books(Rights rights, long mostBytes) {
        this.rights = rights;
        this.mostBytes = mostBytes;
    }

    @Override
    public boolean isLimiting() {
        return mostBytes > 0;
    }

    @Override
    public void served(String topic, long ofRecords, long fetches) {}

    @Override
    public void charge(Object requestContext, long ofResponses) {
        charged.merge(rights.principalOf((Integer) requestContext), ofResponses, Long::sum);
    }

    @Override
    public ReadQuota quota(Object requestContext) {
        String principal = rights.principalOf((Integer) requestContext);
        return new ReadQuota(principal, mostBytes - charged.getOrDefault(principal, 0L));
    }

    /** A client of the principal got an answer by RDMA. */
    public void received(String principal, int ofRecords) {
        recordBytes.merge(principal, (long) ofRecords, Long::sum);
    }

    /** Returns what is wrong when everything is reported and no report was lost; null if nothing is. */
    public String fault() {
        for (String principal : recordBytes.keySet()) {
            if (isLimiting() && recordBytes.get(principal) > mostBytes) {
                return principal + " got " + recordBytes.get(principal) + " bytes of records by RDMA, the quota is "
                        + mostBytes;
            } else if (isLimiting() && charged.getOrDefault(principal, 0L) < recordBytes.get(principal)) {
                return principal + " got " + recordBytes.get(principal) + " bytes of records by RDMA, charged are "
                        + charged.get(principal);
            }
        }
        return null;
    }
}
