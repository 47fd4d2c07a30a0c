// SPDX-License-Identifier: Apache-2.0
package io.slipstream.workload;

import io.slipstream.history.ProducerKind;
import java.util.List;

/**
 * The operations of a workload; with its seed they are the same in every arm.
 *
 * @param topics names of the topics to create; each copier has an additional one
 * @param partitions partitions of each topic
 * @param replicas replicas of each partition
 * @param codecs codecs of the producers, in turn
 * @param idempotent number of producers with sequences, acks=all
 * @param plain number of producers without sequences; the second, fourth … with acks=1
 * @param transactional number of producers that write transactions over several topics and abort some
 * @param readers number of consumers that read everything and sometimes seek back; every other one with read_committed
 * @param slowReaders number of consumers that read everything, and more slowly than producers write
 * @param members number of consumers of one group that commits polled offsets
 * @param copiers number of transactional copiers from the first topic, each to its own topic
 * @param mostFillerBytes maximum size of a value besides its description; few values are that large
 * @param recordsPerSecond rate of each producer, 0 for the maximum
 */
public record WorkloadPlan(
        long seed,
        List<String> topics,
        int partitions,
        int replicas,
        List<String> codecs,
        int idempotent,
        int plain,
        int transactional,
        int readers,
        int slowReaders,
        int members,
        int copiers,
        int mostFillerBytes,
        int recordsPerSecond) {
    /** A small plan with every kind of client, for one broker. */
    public static WorkloadPlan small(long seed) {
        return new WorkloadPlan(
                seed,
                List.of("orders", "events"),
                2,
                1,
                List.of("none", "lz4", "zstd", "snappy", "gzip"),
                2,
                2,
                1,
                2,
                0,
                2,
                1,
                4_000,
                2_000);
    }

    ProducerPlan producer(ProducerKind kind, int number) {
        int acks = kind == ProducerKind.PLAIN && number % 2 == 1 ? 1 : -1;
        String transactionalId = kind == ProducerKind.TRANSACTIONAL ? "transactional-" + number : "";
        return new ProducerPlan(kind, acks, transactionalId, codec(kind.ordinal() + 2 * number));
    }

    String codec(int number) {
        return codecs.get(number % codecs.size());
    }

    String copyTopic(int copier) {
        return topics.get(0) + "-copy-" + copier;
    }
}
