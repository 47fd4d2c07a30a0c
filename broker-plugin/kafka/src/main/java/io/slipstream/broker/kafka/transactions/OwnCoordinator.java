// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka.transactions;

import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.broker.metrics.PluginMeters;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import kafka.coordinator.transaction.TransactionCoordinator;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.coordinator.transaction.AddPartitionsToTxnConfig;
import org.apache.kafka.metadata.MetadataCache;
import org.apache.kafka.server.common.RequestLocal;
import org.apache.kafka.server.common.TransactionVersion;
import org.apache.kafka.server.transaction.AddPartitionsToTxnManager;
import org.apache.kafka.server.transaction.AddPartitionsToTxnManager.AppendCallback;
import org.apache.kafka.server.transaction.AddPartitionsToTxnManager.TransactionSupportedOperation;
import org.apache.kafka.server.util.Scheduler;

/**
 * The transaction coordinator of this broker. By the second protocol of transactions (KIP-890) the leader of a
 * partition adds it to a producer's transaction before the first append. For that a stock broker sends
 * AddPartitionsToTxn over TCP, also to itself. A handler of requests from rings calls its own coordinator instead.
 *
 * <p>Only a success counts. Whatever the coordinator refuses takes the stock way, so all errors come from there. Adding
 * a partition twice has the effect of adding it once. Requests over TCP always take the stock way, and so does what
 * older clients ask, which only verifies.
 */
public final class OwnCoordinator {
    private static final TransactionSupportedOperation ADD = TransactionSupportedOperation.ADD_PARTITION;
    private static final ThreadLocal<OwnCoordinator> OF_THREAD = new ThreadLocal<>();

    final Scheduler scheduler;
    final AddPartitionsToTxnConfig config;
    final LongAdder added;
    final LongAdder leftToTcp;
    final LongAdder retries;
    private final TransactionCoordinator coordinator;
    private final MetadataCache metadata;

    public OwnCoordinator(
            TransactionCoordinator coordinator,
            MetadataCache metadata,
            Scheduler scheduler,
            AddPartitionsToTxnConfig config,
            PluginMeters meters) {
        this.coordinator = coordinator;
        this.metadata = metadata;
        this.scheduler = scheduler;
        this.config = config;
        added = meters.registry.count(PluginMeter.TRANSACTION_ADDITIONS, "local");
        leftToTcp = meters.registry.count(PluginMeter.TRANSACTION_ADDITIONS, "tcp");
        retries = meters.registry.count(PluginMeter.TRANSACTION_RETRIES);
    }

    /** Has this thread, a handler of requests from rings, use the coordinator from now on. */
    public void serveThread() {
        OF_THREAD.set(this);
    }

    /** Returns whether the callback is, or will be, called; else the broker must ask the coordinator. Any thread. */
    public static boolean take(
            Object manager,
            String transactionalId,
            long producerId,
            short producerEpoch,
            Collection<?> partitions,
            Object callback,
            Object operation) {
        OwnCoordinator own = OF_THREAD.get();
        if (own == null || operation != ADD || callback instanceof Addition) {
            return false;
        }
        Set<TopicPartition> known = new HashSet<>();
        for (Object partition : partitions) {
            if (!own.metadata.contains((TopicPartition) partition)) {
                return false;
            }
            known.add((TopicPartition) partition);
        }
        new Addition(
                        own,
                        (AppendCallback) callback,
                        (answer, memory) -> own.coordinator.handleAddPartitionsToTransaction(
                                transactionalId,
                                producerId,
                                producerEpoch,
                                known,
                                answer,
                                TransactionVersion.TV_2,
                                memory),
                        addition -> ((AddPartitionsToTxnManager) manager)
                                .addOrVerifyTransaction(
                                        transactionalId, producerId, producerEpoch, known, addition, ADD))
                .ask(RequestLocal.noCaching());
        return true;
    }
}
