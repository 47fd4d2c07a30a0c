package io.slipstream.broker.fetch;

/** A broker of some line in this JVM, with the hooks woven. */
public interface BrokerUnderTest extends AutoCloseable {
    String bootstrapServers();

    /** The adapter over the broker's own objects. */
    PartitionLogs partitionLogs();

    /** The same for its books. */
    ReadAccounts readAccounts();

    /** A {@code RequestContext} of that user, as a session would carry it. */
    Object requestContext(String user);

    /** Starts node 2 of the same cluster, in this JVM too. */
    AutoCloseable startSecondBroker() throws Exception;

    @Override
    void close();
}
