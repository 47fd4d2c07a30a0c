// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.slipstream.protocol.fetch.FetchPartitions;
import io.slipstream.proxy.count.PartitionActivity;
import io.slipstream.proxy.count.PartitionTable;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.Uuid;

/**
 * A partition as a Fetch names it: by topic id from version 13 on, by name before. A connection uses one kind only, so
 * the two kinds need not be equal. Mutable only as a probe for lookups.
 */
final class PartitionKey {
    private static final byte[] NO_NAME = {};

    private long idHigh;
    private long idLow;
    private byte[] name = NO_NAME;
    int partition;

    /** Sets this key to that entry and returns this. Allocates only for topics by name. */
    PartitionKey of(FetchPartitions partitions, int entry) {
        int topic = partitions.topicOf(entry);
        idHigh = partitions.topicIdHigh(topic);
        idLow = partitions.topicIdLow(topic);
        partition = partitions.partition(entry);
        int length = partitions.topicNameLength(topic);
        if (length < 0) {
            name = NO_NAME;
        } else {
            name = new byte[length];
            partitions.names.get(partitions.topicNamePosition(topic), name);
        }
        return this;
    }

    PartitionKey copy() {
        PartitionKey copy = new PartitionKey();
        copy.idHigh = idHigh;
        copy.idLow = idLow;
        copy.name = name;
        copy.partition = partition;
        return copy;
    }

    boolean matches(FetchPartitions partitions, int entry) {
        int topic = partitions.topicOf(entry);
        if (partition != partitions.partition(entry)
                || idHigh != partitions.topicIdHigh(topic)
                || idLow != partitions.topicIdLow(topic)
                || Math.max(0, partitions.topicNameLength(topic)) != name.length) {
            return false;
        }
        int at = partitions.topicNamePosition(topic);
        for (int i = 0; i < name.length; i++) {
            if (partitions.names.get(at + i) != name[i]) {
                return false;
            }
        }
        return true;
    }

    PartitionActivity in(PartitionTable table) {
        return table.of(idHigh, idLow, name, partition);
    }

    Uuid topicId() {
        return idHigh == 0 && idLow == 0 ? Uuid.ZERO_UUID : new Uuid(idHigh, idLow);
    }

    /** Null for topics by id. */
    String topic() {
        return name.length == 0 ? null : new String(name, StandardCharsets.UTF_8);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PartitionKey that
                && partition == that.partition
                && idHigh == that.idHigh
                && idLow == that.idLow
                && java.util.Arrays.equals(name, that.name);
    }

    @Override
    public int hashCode() {
        return (Long.hashCode(idHigh ^ idLow) * 31 + java.util.Arrays.hashCode(name)) * 31 + partition;
    }
}
