// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.client;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchResponseData.AbortedTransaction;

/** Fetch requests of version 13, and their responses, in Kafka's layout. */
final class FetchFrames {
    private static final short VERSION = 13;

    private FetchFrames() {}

    /** A requested partition; epochs are -1 if the client does not know them. */
    record Wish(int partition, int leaderEpoch, long fetchOffset, int lastFetchedEpoch, int maxBytes) {}

    /** A partition of the response; {@code records} may be empty. */
    record Answer(
            int partition,
            short error,
            long highWatermark,
            long lastStableOffset,
            long logStartOffset,
            List<AbortedTransaction> aborted,
            byte[] records) {}

    /** A whole response. */
    record Response(int correlationId, short error, int sessionId, List<Answer> answers) {}

    static byte[] encode(
            int connection,
            int correlationId,
            Uuid topicId,
            int maxWaitMs,
            int minBytes,
            int maxBytes,
            boolean committed,
            FetchSession.Sent sent) {
        ByteBuffer out = ByteBuffer.allocate(
                160 + 40 * (sent.wishes().size() + sent.forgotten().size()));
        byte[] clientId = ("c" + connection).getBytes(StandardCharsets.US_ASCII);
        out.putShort((short) 1).putShort(VERSION).putInt(correlationId);
        out.putShort((short) clientId.length).put(clientId).put((byte) 0);
        out.putInt(-1).putInt(maxWaitMs).putInt(minBytes).putInt(maxBytes).put((byte) (committed ? 1 : 0));
        out.putInt(sent.id()).putInt(sent.epoch());
        topics(out, topicId, sent.wishes().size());
        for (Wish wish : sent.wishes()) {
            out.putInt(wish.partition()).putInt(wish.leaderEpoch()).putLong(wish.fetchOffset());
            out.putInt(wish.lastFetchedEpoch())
                    .putLong(-1)
                    .putInt(wish.maxBytes())
                    .put((byte) 0);
        }
        endOfTopics(out, sent.wishes().size());
        topics(out, topicId, sent.forgotten().size());
        sent.forgotten().forEach(out::putInt);
        endOfTopics(out, sent.forgotten().size());
        out.put((byte) 1).put((byte) 0);
        byte[] frame = new byte[out.position()];
        out.flip().get(frame);
        return frame;
    }

    private static void topics(ByteBuffer out, Uuid topicId, int partitions) {
        out.put((byte) (partitions == 0 ? 1 : 2));
        if (partitions > 0) {
            out.putLong(topicId.getMostSignificantBits()).putLong(topicId.getLeastSignificantBits());
            out.put((byte) (partitions + 1));
        }
    }

    private static void endOfTopics(ByteBuffer out, int partitions) {
        if (partitions > 0) {
            out.put((byte) 0);
        }
    }

    /**
     * Decodes a response.
     *
     * @throws IndexOutOfBoundsException or BufferUnderflowException if the bytes are not such a response
     */
    static Response decode(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        int correlationId = in.getInt();
        tags(in);
        in.getInt();
        short error = in.getShort();
        int sessionId = in.getInt();
        List<Answer> answers = new ArrayList<>();
        for (int topics = varint(in) - 1; topics > 0; topics--) {
            in.getLong();
            in.getLong();
            for (int partitions = varint(in) - 1; partitions > 0; partitions--) {
                answers.add(answer(in));
            }
            tags(in);
        }
        tags(in);
        if (in.hasRemaining()) {
            throw new IllegalArgumentException(in.remaining() + " bytes after the response");
        }
        return new Response(correlationId, error, sessionId, answers);
    }

    private static Answer answer(ByteBuffer in) {
        int partition = in.getInt();
        short error = in.getShort();
        long highWatermark = in.getLong();
        long lastStableOffset = in.getLong();
        long logStartOffset = in.getLong();
        List<AbortedTransaction> aborted = new ArrayList<>();
        for (int abortedCount = varint(in) - 1; abortedCount > 0; abortedCount--) {
            aborted.add(new AbortedTransaction().setProducerId(in.getLong()).setFirstOffset(in.getLong()));
            tags(in);
        }
        in.getInt();
        byte[] records = new byte[Math.max(0, varint(in) - 1)];
        in.get(records);
        tags(in);
        return new Answer(partition, error, highWatermark, lastStableOffset, logStartOffset, aborted, records);
    }

    private static void tags(ByteBuffer in) {
        for (int count = varint(in); count > 0; count--) {
            varint(in);
            int size = varint(in);
            in.position(in.position() + size);
        }
    }

    private static int varint(ByteBuffer in) {
        int value = 0;
        for (int shift = 0; shift < 35; shift += 7) {
            byte next = in.get();
            value |= (next & 0x7f) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw new IllegalArgumentException("a varint without an end");
    }
}
