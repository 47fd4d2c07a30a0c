// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.live;

import io.slipstream.protocol.wire.WireCursor;
import io.slipstream.proxy.count.PartitionActivity;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.Uuid;

/**
 * Topic names by id, from the Metadata responses to clients: a bounded number, from responses of bounded size.
 * Thread-safe.
 */
public final class TopicNames {
    static final int MOST = 10_000;
    private static final int MOST_BYTES = 1 << 20;
    private static final short OLDEST_VERSION = 10;
    private static final short LATEST_VERSION = 13;
    private static final int ID_BYTES = 16;

    private final Map<Uuid, String> names = new ConcurrentHashMap<>();

    /** Reads a Metadata response from its header on, without the size; ignores an unreadable one. */
    public void learn(ByteBuffer response, short version) {
        if (version < OLDEST_VERSION || version > LATEST_VERSION || response.remaining() > MOST_BYTES) {
            return;
        }
        WireCursor in = new WireCursor().wrap(response, response.position(), response.limit(), true);
        in.skip(Integer.BYTES); // correlation id
        in.skipTags();
        in.skip(Integer.BYTES); // throttle time
        for (int brokers = in.nonNullArrayCount(1); brokers > 0 && !in.failed(); brokers--) {
            in.skip(Integer.BYTES);
            in.skipString(false);
            in.skip(Integer.BYTES);
            in.skipString(true);
            in.skipTags();
        }
        in.skipString(true);
        in.skip(Integer.BYTES); // controller
        for (int topics = in.nonNullArrayCount(1); topics > 0 && !in.failed(); topics--) {
            topic(in, response);
        }
    }

    private void topic(WireCursor in, ByteBuffer response) {
        in.skip(Short.BYTES);
        int length = in.stringLength();
        int name = in.position();
        in.skip(Math.max(0, length));
        int id = in.position();
        in.skip(ID_BYTES);
        if (in.failed()) {
            return;
        }
        if (length > 0) {
            put(new Uuid(response.getLong(id), response.getLong(id + Long.BYTES)), response, name, length);
        }
        in.skip(1); // internal
        for (int partitions = in.nonNullArrayCount(1); partitions > 0 && !in.failed(); partitions--) {
            in.skip(Short.BYTES + 3 * Integer.BYTES);
            for (int i = 0; i < 3; i++) {
                in.skip(in.nonNullArrayCount(Integer.BYTES) * Integer.BYTES);
            }
            in.skipTags();
        }
        in.skip(Integer.BYTES);
        in.skipTags();
    }

    private void put(Uuid id, ByteBuffer response, int start, int length) {
        if (names.size() < MOST && !names.containsKey(id)) {
            byte[] name = new byte[length];
            response.get(start, name);
            names.put(id, new String(name, StandardCharsets.UTF_8));
        }
    }

    /** The id itself if the name is unknown. */
    String of(PartitionActivity partition) {
        if (!partition.isId) {
            return new String(partition.topic, StandardCharsets.UTF_8);
        }
        ByteBuffer id = ByteBuffer.wrap(partition.topic);
        Uuid uuid = new Uuid(id.getLong(), id.getLong());
        return names.getOrDefault(uuid, uuid.toString());
    }
}
