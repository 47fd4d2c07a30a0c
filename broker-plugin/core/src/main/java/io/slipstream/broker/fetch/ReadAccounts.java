// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

/**
 * The broker's books of what consumers were sent: its metrics by topic, and its quotas. What proxies read one-sided is
 * entered here as they report it; implemented by the adapter of each Kafka line. Called by the worker thread only.
 */
public interface ReadAccounts {
    /** Whether the byte rate of any consumer is limited. */
    boolean isLimiting();

    /**
     * Enters reads into the metrics of the topic and of all topics; nothing if this broker does not know the topic (any
     * more).
     *
     * @param recordBytes bytes of records, as they lie in the log
     * @param fetches Fetch requests, one for each partition that each named
     */
    void served(String topic, long recordBytes, long fetches);

    /**
     * Enters bytes of answers into the quota that the session's principal and client id fall under.
     *
     * @param requestContext the session's {@code RequestContext}
     */
    void charge(Object requestContext, long responseBytes);

    /** What that quota leaves; null if there is none. */
    ReadQuota quota(Object requestContext);

    /**
     * A quota, as it stands.
     *
     * @param entity whom it limits together; equal for all sessions that share it
     * @param leftBytes what could be served now before the broker would throttle; negative if more was served
     */
    record ReadQuota(Object entity, long leftBytes) {}
}
