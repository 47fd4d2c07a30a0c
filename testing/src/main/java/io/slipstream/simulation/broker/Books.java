// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.broker;

import io.slipstream.broker.fetch.ReadAccounts;

/** Read accounts of a broker without quotas: reports of reads have no effect on clients. */
final class Books implements ReadAccounts {
    @Override
    public boolean isLimiting() {
        return false;
    }

    @Override
    public void served(String topic, long recordBytes, long fetches) {}

    @Override
    public void charge(Object requestContext, long responseBytes) {
        throw new IllegalStateException("charged although nothing is limited");
    }

    @Override
    public ReadQuota quota(Object requestContext) {
        throw new IllegalStateException("asked although nothing is limited");
    }
}
