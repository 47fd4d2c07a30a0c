// SPDX-License-Identifier: Apache-2.0
package io.slipstream.history;

/** Introduces a name of the history. Comes before the first event that uses it. */
public sealed interface Declaration extends Event {
    /**
     * The first event of every history.
     *
     * @param arm how clients reached the brokers: {@code direct}, {@code tcp}, {@code rdma}, {@code simulation} …
     * @param seed of everything that was drawn at random
     * @param cluster the cluster's id, which every value carries
     */
    record RunDeclared(String arm, long seed, String cluster) implements Declaration {}

    /**
     * A topic that is deleted and made anew is declared again, under new numbers.
     *
     * @param partition from 0, without gap
     * @param index the partition's number within its topic
     */
    record PartitionDeclared(int partition, String topic, int index) implements Declaration {}

    /**
     * A producer that is closed and made anew is declared again, under a new number: it is a new incarnation, which fences the one before if both have the same transactional id.
     *
     * @param producer from 0, without gap
     * @param acks -1 (all), 1 or 0
     * @param retries whether the client itself may send a batch again, without which even a plain producer must not make duplicates
     * @param transactionalId empty if none
     */
    record ProducerDeclared(int producer, ProducerKind kind, int acks, boolean retries, String transactionalId)
            implements Declaration {}

    /**
     * A consumer.
     *
     * @param consumer from 0, without gap
     * @param group empty if none
     * @param readCommitted the isolation level
     */
    record ConsumerDeclared(int consumer, ConsumerKind kind, String group, boolean readCommitted)
            implements Declaration {}

    /**
     * From now on transactions copy each record of the input partition to the output partition; copies name their {@code source}.
     *
     * @param group whose offsets those transactions commit
     */
    record CopyDeclared(int input, int output, String group) implements Declaration {}
}
