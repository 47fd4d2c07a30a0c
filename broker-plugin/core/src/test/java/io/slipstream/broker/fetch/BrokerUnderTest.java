// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import java.util.List;

/** A broker of some line in this JVM, with the hooks woven. */
public interface BrokerUnderTest extends AutoCloseable {
    String bootstrapServers();

    /** Returns the adapter over the broker's own objects. */
    PartitionLogs partitionLogs();

    /** Returns the adapter over the broker's metrics and quotas. */
    ReadAccounts readAccounts();

    /** Returns a {@code RequestContext} of that user, as in a session. */
    Object requestContext(String user);

    /** Reads partition 0 from the broker's own log, as for a consumer's Fetch. */
    LogRead read(String topic, long offset, int maxBytes, boolean committed) throws Exception;

    /**
     * @param bytes as the broker counts them, including truncated batches
     * @param aborted as PRODUCER@FIRST_OFFSET, in the broker's order
     */
    record LogRead(long segmentBaseOffset, int position, int bytes, List<String> aborted) {}

    /** Starts node 2 of the same cluster in this JVM. */
    AutoCloseable startSecondBroker() throws Exception;

    @Override
    void close();
}
