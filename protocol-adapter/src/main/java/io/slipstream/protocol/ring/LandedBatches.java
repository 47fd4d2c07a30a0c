package io.slipstream.protocol.ring;

import java.nio.ByteBuffer;

/**
 * Layout of what a landed request's payload begins with: where the record bytes lie that its Kafka request lacks. Little-endian. One entry for
 * each partition, in the order of the request.
 *
 * <pre>
 *   0      4              8       16         20        24      28      32
 *   ├count─┼─requestBytes─┼─zeros─┼landingId─┼position─┼length─┼─order─┼─next entry … ─▶ Kafka request, without its record bytes
 * </pre>
 *
 * <p>The order, 16 bits of it, is what was reserved with the position where several links place batches; else it is zero.
 *
 * <p>What follows the request's {@code requestBytes} means nothing: the sender needs so much of its mirror of the ring.
 *
 * <p>A batch of {@code length} bytes lies at {@code position} of the landing's segment, but for its first {@link #POISON_BYTES}, which are zero until
 * the broker commits it: a length of zero is where recovery ends a log. Offset and length that belong there are 0 and {@code length} - 12.
 */
public final class LandedBatches {
    /** Landings of one link at a time. */
    public static final int MOST_LANDINGS = 64;
    /** Partitions of one landed request. */
    public static final int MOST_BATCHES = 16;
    /** Base offset and length of a batch. */
    public static final int POISON_BYTES = 12;

    private static final int HEADER_BYTES = 16;
    private static final int ENTRY_BYTES = 16;
    private static final int POSITION_OFFSET = 4;
    private static final int LENGTH_OFFSET = 8;
    private static final int ORDER_OFFSET = 12;

    private LandedBatches() {}

    /** Bytes before the Kafka request. */
    public static int bytes(int count) {
        return HEADER_BYTES + count * ENTRY_BYTES;
    }

    public static void encodeHeader(ByteBuffer payload, int offset, int count, int requestBytes) {
        payload.putInt(offset, count);
        payload.putInt(offset + Integer.BYTES, requestBytes);
        payload.putLong(offset + 8, 0);
    }

    public static void encodeBatch(
            ByteBuffer payload, int offset, int index, int landingId, int position, int lengthBytes, int order) {
        int entry = offset + bytes(index);
        payload.putInt(entry, landingId);
        payload.putInt(entry + POSITION_OFFSET, position);
        payload.putInt(entry + LENGTH_OFFSET, lengthBytes);
        payload.putInt(entry + ORDER_OFFSET, order);
    }

    /** How many batches the payload names; below 1 if it names none, or more than it has room for or is allowed. */
    public static int count(ByteBuffer payload) {
        if (payload.capacity() < HEADER_BYTES) {
            return -1;
        }
        int count = payload.getInt(0);
        return count > MOST_BATCHES || count < 0 || bytes(count) > payload.capacity() ? -1 : count;
    }

    /** Bytes of the Kafka request behind the list; below 0 if the payload has fewer. */
    public static int requestBytes(ByteBuffer payload, int count) {
        int requestBytes = payload.getInt(Integer.BYTES);
        return requestBytes > payload.capacity() - bytes(count) ? -1 : requestBytes;
    }

    public static int landingId(ByteBuffer payload, int index) {
        return payload.getInt(bytes(index));
    }

    public static int position(ByteBuffer payload, int index) {
        return payload.getInt(bytes(index) + POSITION_OFFSET);
    }

    public static int lengthBytes(ByteBuffer payload, int index) {
        return payload.getInt(bytes(index) + LENGTH_OFFSET);
    }

    public static int order(ByteBuffer payload, int index) {
        return payload.getInt(bytes(index) + ORDER_OFFSET);
    }
}
