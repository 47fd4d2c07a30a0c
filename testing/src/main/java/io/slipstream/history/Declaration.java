// SPDX-License-Identifier: Apache-2.0
package io.slipstream.history;

/** Introduces a name of the history, before the first event that uses it. */
public sealed interface Declaration extends Event {
    /**
     * The first event of every history.
     *
     * @param kind decides which invariants the run claims
     * @param arm path of the clients to the brokers: {@code direct}, {@code tcp}, {@code rdma}, {@code simulation} …
     * @param seed seed of all random choices
     * @param cluster the cluster id, which every value carries
     */
    record RunDeclared(RunKind kind, String arm, long seed, String cluster) implements Declaration {}

    /**
     * A recreated topic is declared again under new numbers.
     *
     * @param partition from 0 without gaps
     * @param index the partition's number in its topic
     */
    record PartitionDeclared(int partition, String topic, int index) implements Declaration {}

    /**
     * A recreated producer is declared again under a new number. It is a new incarnation, which fences its predecessor
     * with the same transactional id.
     *
     * @param producer from 0 without gaps
     * @param acks -1 (all), 1 or 0
     * @param retries whether the client may retry a batch; without retries even a plain producer must not create
     * duplicates
     * @param transactionalId empty if none
     */
    record ProducerDeclared(int producer, ProducerKind kind, int acks, boolean retries, String transactionalId)
            implements Declaration {}

    /**
     * A consumer.
     *
     * @param consumer from 0 without gaps
     * @param group empty if none
     * @param readCommitted the isolation level
     */
    record ConsumerDeclared(int consumer, ConsumerKind kind, String group, boolean readCommitted)
            implements Declaration {}

    /**
     * From now on transactions copy each record of the input partition to the output partition; copies name their
     * {@code source}.
     *
     * @param group group whose offsets these transactions commit
     */
    record CopyDeclared(int input, int output, String group) implements Declaration {}
}
