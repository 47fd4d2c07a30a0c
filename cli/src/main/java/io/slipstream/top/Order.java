// SPDX-License-Identifier: Apache-2.0
package io.slipstream.top;

import io.slipstream.top.TopView.ClientRow;
import io.slipstream.top.TopView.PartitionRow;
import java.util.Comparator;

/** Sort key of clients and partitions: highest first, names ascending. */
enum Order {
    REQUESTS(
            Comparator.comparingDouble(ClientRow::requestsPerSecond).reversed(),
            Comparator.comparingDouble(
                            (PartitionRow row) -> row.producedRecordsPerSecond() + row.fetchedRecordsPerSecond())
                    .reversed()),
    BYTES(
            Comparator.comparingDouble(ClientRow::bytesPerSecond).reversed(),
            Comparator.comparingDouble((PartitionRow row) -> row.producedBytesPerSecond() + row.fetchedBytesPerSecond())
                    .reversed()),
    LATENCY(Comparator.comparingDouble(ClientRow::p99Us).reversed(), REQUESTS.partitions),
    /** Highest TCP share first; idle rows last. */
    TCP(
            Comparator.comparingDouble((ClientRow row) -> unused(row.rdmaShare())),
            Comparator.comparingDouble(
                    (PartitionRow row) -> Math.min(unused(row.produceShare()), unused(row.fetchShare())))),
    NAME(Comparator.comparing(ClientRow::clientId), Comparator.comparing(PartitionRow::name));

    private static final double NOTHING = 2;

    final Comparator<ClientRow> clients;
    final Comparator<PartitionRow> partitions;

    Order(Comparator<ClientRow> clients, Comparator<PartitionRow> partitions) {
        this.clients = clients.thenComparing(ClientRow::clientId).thenComparing(ClientRow::address);
        this.partitions = partitions.thenComparing(PartitionRow::name);
    }

    private static double unused(double share) {
        return share < 0 ? NOTHING : share;
    }

    Order next() {
        return values()[(ordinal() + 1) % values().length];
    }
}
