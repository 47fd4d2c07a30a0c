// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.fetch;

import io.slipstream.protocol.record.BatchHeader;
import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.Errors;

/**
 * Merges the answers to two parts of a sessionless Fetch into the answer that a broker gives to the whole. For one
 * answer; not thread-safe.
 * <ul>
 * <li>Partitions are in the order of the request; those that a broker refuses before it reads any log come last.
 * <li>The limits of the request hold over both parts, in order. The first partition with records keeps all of them, a
 *     later one the whole batches that fit into its own limit and into what is left.
 * <li>All other fields are those of the broker.
 * </ul>
 */
public final class FetchResponseMerge extends FetchFields {
    private static final int TOPIC_BYTES = 32;
    /** Places of an entry: start, size of the records, records and their end, end. */
    private static final int PLACES = 5;

    private final FetchPartitions asked;
    private final boolean[] byBroker;
    private final FetchResponseView view = new FetchResponseView();
    private final int[] places;
    private final boolean[] refusedUnread;
    private int found;
    private int next;
    private boolean isStray;

    /**
     * @param asked the whole request, in the order of serving
     * @param byBroker by entry: whether the broker answers it
     */
    public FetchResponseMerge(short version, FetchPartitions asked, boolean[] byBroker) {
        version(version);
        this.asked = asked;
        this.byBroker = byBroker;
        this.places = new int[asked.count * PLACES];
        this.refusedUnread = new boolean[asked.count];
    }

    /**
     * Reads both answers, from their headers on. Their memory must stay valid.
     *
     * @return most bytes of the merged answer; 0 if the broker's answer is the answer to the whole, because it is an
     *     error or throttled and lacks partitions; -1 if it cannot be read
     */
    public int read(ByteBuffer part, ByteBuffer rest) {
        if (!view.walk(part, version, this::take) || !view.walk(rest, version, this::take) || isStray) {
            return -1;
        }
        int topics = 0;
        for (int i = 0; i < asked.count; i++) {
            topics += TOPIC_BYTES + Math.max(0, asked.topicNameLength(asked.topicOf(i)));
        }
        return found < asked.count ? 0 : part.remaining() + rest.remaining() + topics;
    }

    private void take(FetchResponseView at) {
        int i = asked.find(at, next);
        if (i < 0 || places[i * PLACES] > 0) {
            isStray = true;
            return;
        }
        found++;
        next = i + 1;
        refusedUnread[i] = at.partitionError == Errors.TOPIC_AUTHORIZATION_FAILED.code()
                || at.partitionError == Errors.UNKNOWN_TOPIC_OR_PARTITION.code()
                || at.partitionError == Errors.UNKNOWN_TOPIC_ID.code();
        int place = i * PLACES;
        places[place++] = at.start;
        places[place++] = at.recordsSizePosition;
        places[place++] = at.recordsStart;
        places[place++] = at.recordsStart + at.recordBytes;
        places[place] = at.end;
    }

    /**
     * Writes the merged answer.
     *
     * @param maxBytes limit of the request over all records
     * @param readBytes by entry of the part: bytes that were read, with a batch that the limits cut, as a broker counts
     */
    public void write(ByteBuffer to, ByteBuffer part, ByteBuffer rest, int maxBytes, int[] readBytes) {
        out = to;
        copy(rest, rest.position(), view.topicsPosition);
        int[] order = order();
        count(asked.topicsIn(order, order.length));
        int leftBytes = maxBytes;
        boolean first = true;
        for (int k = 0; k < order.length; ) {
            int end = asked.endOfTopic(order, order.length, k);
            topic(asked, order[k], end - k);
            for (; k < end; k++) {
                int i = order[k];
                int limit = first ? Integer.MAX_VALUE : Math.min(leftBytes, asked.maxBytes(i));
                int place = i * PLACES;
                int read = byBroker[i] ? places[place + 3] - places[place + 2] : readBytes[i];
                boolean any = partition(byBroker[i] ? rest : part, place, read <= limit ? Integer.MAX_VALUE : limit);
                leftBytes -= any ? Math.min(leftBytes, Math.min(read, limit)) : 0;
                first &= !any;
            }
            tags();
        }
        copy(rest, view.tagsPosition, rest.limit());
    }

    private int[] order() {
        int[] order = new int[asked.count];
        for (int k = 0, pass = 0; pass < 2; pass++) {
            for (int i = 0; i < order.length; i++) {
                if (refusedUnread[i] == (pass == 1)) {
                    order[k++] = i;
                }
            }
        }
        return order;
    }

    /** Writes a partition with the records within that limit; whether there are any. */
    private boolean partition(ByteBuffer from, int place, int limitBytes) {
        int records = places[place + 2];
        int end = places[place + 3];
        int kept = end - records;
        if (limitBytes < Integer.MAX_VALUE) {
            kept = BatchHeader.wholeBatchBytes(from, records, records + Math.min(kept, limitBytes));
        }
        copy(from, places[place], places[place + 1]);
        count(kept);
        copy(from, records, records + kept);
        copy(from, end, places[place + 4]);
        return kept > 0;
    }
}
