// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

/**
 * The broker's metrics by topic and its quotas of consumed bytes. The reports of proxies about one-sided reads are
 * entered here. The adapter of the Kafka line implements it. Called by the worker thread only.
 */
public interface ReadAccounts {
    /** Returns whether a quota limits the byte rate of any consumer. */
    boolean isLimiting();

    /**
     * Enters reads into the metrics of the topic and of all topics. No effect if this broker does not know the topic,
     * or no longer.
     *
     * @param recordBytes bytes of records, as stored in the log
     * @param fetches Fetch requests; a request counts once for each partition that it names
     */
    void served(String topic, long recordBytes, long fetches);

    /**
     * Charges the bytes of answers to the quota of the session's principal and client id.
     *
     * @param requestContext the session's {@code RequestContext}
     */
    void charge(Object requestContext, long responseBytes);

    /** Returns the rest of that quota; null if there is none. */
    ReadQuota quota(Object requestContext);

    /**
     * A quota and its rest.
     *
     * @param entity the entity of the quota; equal for all sessions that share the quota
     * @param leftBytes bytes that the broker would serve now without throttling; negative if more was served
     */
    record ReadQuota(Object entity, long leftBytes) {}
}
