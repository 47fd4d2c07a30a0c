package io.slipstream.proxy.fastpath.fetch;

import io.slipstream.protocol.fetch.FetchRequestView;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.Uuid;

/**
 * A partition as a Fetch names it: by topic id from version 13 on, by name before. Two clients of one connection never mix, so the
 * two kinds need not be equal. Mutable only as a probe for look-ups.
 */
final class PartitionKey {
    private static final byte[] NO_NAME = {};

    private long idHigh;
    private long idLow;
    private byte[] name = NO_NAME;
    private int partition;

    /** Makes this the key of that entry; returns this. Allocates only for topics by name. */
    PartitionKey of(FetchRequestView request, ByteBuffer frame, int entry) {
        int topic = request.topicOf(entry);
        idHigh = request.topicIdHigh(topic);
        idLow = request.topicIdLow(topic);
        partition = request.partition(entry);
        int length = request.topicNameLength(topic);
        if (length < 0) {
            name = NO_NAME;
        } else {
            name = new byte[length];
            frame.get(request.topicNamePosition(topic), name);
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

    boolean matches(FetchRequestView request, ByteBuffer frame, int entry) {
        int topic = request.topicOf(entry);
        if (partition != request.partition(entry)
                || idHigh != request.topicIdHigh(topic)
                || idLow != request.topicIdLow(topic)
                || Math.max(0, request.topicNameLength(topic)) != name.length) {
            return false;
        }
        int at = request.topicNamePosition(topic);
        for (int i = 0; i < name.length; i++) {
            if (frame.get(at + i) != name[i]) {
                return false;
            }
        }
        return true;
    }

    Uuid topicId() {
        return idHigh == 0 && idLow == 0 ? Uuid.ZERO_UUID : new Uuid(idHigh, idLow);
    }

    /** Null for topics by id. */
    String topic() {
        return name.length == 0 ? null : new String(name, StandardCharsets.UTF_8);
    }

    int partition() {
        return partition;
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
