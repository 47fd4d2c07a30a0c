// SPDX-License-Identifier: Apache-2.0
package io.slipstream.workload;

import io.slipstream.history.BrokerEvent.GroupOffsetFound;
import io.slipstream.history.BrokerEvent.TransactionStateFound;
import io.slipstream.process.Patience;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.common.KafkaFuture;

/** Records the final state of the coordinators: offsets of all groups, states of all transactional ids. */
public final class GroupState {
    private GroupState() {}

    public static void record(RecordedRun run, ClientSettings direct) {
        try (Admin admin = Admin.create(direct.common())) {
            List<String> groups = await(admin.listGroups().all()).stream()
                    .map(GroupListing::groupId)
                    .toList();
            for (String group : groups) {
                await(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata())
                        .forEach((partition, offset) -> {
                            if (offset != null) {
                                run.recorder()
                                        .record(new GroupOffsetFound(group, run.number(partition), offset.offset()));
                            }
                        });
            }
            Collection<TransactionListing> transactions =
                    await(admin.listTransactions().all());
            for (TransactionListing transaction : transactions) {
                run.recorder()
                        .record(new TransactionStateFound(
                                transaction.transactionalId(),
                                transaction.state().toString(),
                                transaction.producerId(),
                                -1));
            }
        }
    }

    private static <T> T await(KafkaFuture<T> future) {
        try {
            return future.get(Patience.ms(60_000), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while groups were described", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("cannot describe groups and transactions", e);
        }
    }
}
