// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.ProducerKind;
import io.slipstream.history.ValueId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The contents of a history by subject. {@link FactsBuilder} creates it; afterwards it is read-only. */
final class Facts {
    final List<SendColumns> producers = new ArrayList<>();
    final List<Transactions> transactions = new ArrayList<>();
    final List<ConsumerFacts> consumers = new ArrayList<>();
    final List<PartitionFacts> partitions = new ArrayList<>();
    /** All dumps, by number. */
    final List<ReplicaLog> dumps = new ArrayList<>();
    /** Commits of each group and partition, in recording order. */
    final Map<String, Map<Integer, List<GroupCommit>>> commits = new TreeMap<>();
    /** Time at which an incarnation of a transactional id had fenced its predecessors, by producer. */
    final Map<Integer, Long> initializedNs = new HashMap<>();

    final List<Conflict> conflicts = new ArrayList<>();
    long firstNs = Long.MAX_VALUE;
    long lastNs;
    long events;
    long acknowledged;
    long polled;
    long observations;
    /** {@code NEVER} if the faults did not stop. */
    long faultsStoppedNs = SendColumns.NEVER;

    boolean hasPartition(int partition) {
        return partition >= 0 && partition < partitions.size();
    }

    PartitionFacts partition(int partition) {
        if (!hasPartition(partition)) {
            throw new IllegalArgumentException("the history names partition " + partition + " and did not declare it");
        }
        return partitions.get(partition);
    }

    ConsumerFacts consumer(int consumer) {
        if (consumer < 0 || consumer >= consumers.size()) {
            throw new IllegalArgumentException("the history names consumer " + consumer + " and did not declare it");
        }
        return consumers.get(consumer);
    }

    SendColumns producer(int producer) {
        if (producer < 0 || producer >= producers.size()) {
            throw new IllegalArgumentException("the history names producer " + producer + " and did not declare it");
        }
        return producers.get(producer);
    }

    /** Returns the sends of the value's producer; null if the value was never sent. */
    SendColumns senderOf(long value) {
        int producer = ValueId.producer(value);
        if (value == ValueId.NONE || producer < 0 || producer >= producers.size()) {
            return null;
        }
        SendColumns sends = producers.get(producer);
        return sends.isInvoked(ValueId.sequence(value)) ? sends : null;
    }

    /** Returns the value's transaction; null if it has none. */
    Transactions.One transactionOf(SendColumns sends, int sequence) {
        int transaction = sends.transaction(sequence);
        return transaction < 0 ? null : transactions.get(sends.producer).get(transaction);
    }

    /** Returns whether a reader with this isolation level must receive the value when it reads past it. */
    boolean mustBeVisible(long value, boolean readCommitted) {
        SendColumns sends = senderOf(value);
        if (sends == null) {
            return false;
        }
        Transactions.One transaction = transactionOf(sends, ValueId.sequence(value));
        return transaction == null || !readCommitted || transaction.state == TransactionState.COMMITTED;
    }

    /** Returns whether the producer guarantees order and uniqueness. */
    static boolean isOrdered(SendColumns sends) {
        return sends.kind != ProducerKind.PLAIN || !sends.retries;
    }
}
