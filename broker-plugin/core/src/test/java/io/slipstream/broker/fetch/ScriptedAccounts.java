// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The quotas of a broker, set by the test: each principal has its own quota or none. */
final class ScriptedAccounts implements ReadAccounts {
    final Map<String, Long> recordBytes = new ConcurrentHashMap<>();
    final Map<String, Long> fetches = new ConcurrentHashMap<>();
    final Map<Object, Long> charged = new ConcurrentHashMap<>();
    /** The rest of each quota, by principal. */
    final Map<Object, Long> quotas = new ConcurrentHashMap<>();

    volatile boolean limiting;
    /** Blocks the worker in an accounting call until it opens. */
    volatile CountDownLatch gate = new CountDownLatch(0);

    @Override
    public boolean isLimiting() {
        return limiting;
    }

    @Override
    public void served(String topic, long bytes, long count) {
        try {
            if (!gate.await(10, TimeUnit.SECONDS)) {
                throw new IllegalStateException("nobody opened the gate");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        recordBytes.merge(topic, bytes, Long::sum);
        fetches.merge(topic, count, Long::sum);
    }

    @Override
    public void charge(Object requestContext, long responseBytes) {
        charged.merge(requestContext, responseBytes, Long::sum);
        quotas.computeIfPresent(requestContext, (principal, left) -> left - responseBytes);
    }

    @Override
    public ReadQuota quota(Object requestContext) {
        Long left = quotas.get(requestContext);
        return left == null ? null : new ReadQuota(requestContext, left);
    }
}
