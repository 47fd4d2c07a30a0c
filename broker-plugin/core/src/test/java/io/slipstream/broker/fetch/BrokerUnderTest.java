// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import java.util.List;

/** A broker of some line in this JVM, with the hooks woven. */
public interface BrokerUnderTest extends AutoCloseable {
    String bootstrapServers();

    /** The adapter over the broker's own objects. */
    PartitionLogs partitionLogs();

    /** The same for its books. */
    ReadAccounts readAccounts();

    /** A {@code RequestContext} of that user, as a session would carry it. */
    Object requestContext(String user);

    /** What the broker's own log gives a consumer's Fetch of partition 0. */
    LogRead read(String topic, long offset, int maxBytes, boolean committed) throws Exception;

    /**
     * @param bytes as the broker counts them, cut batches included
     * @param aborted as PRODUCER@FIRST_OFFSET, in the broker's order
     */
    record LogRead(long segmentBaseOffset, int position, int bytes, List<String> aborted) {}

    /** Starts node 2 of the same cluster, in this JVM too. */
    AutoCloseable startSecondBroker() throws Exception;

    @Override
    void close();
}
