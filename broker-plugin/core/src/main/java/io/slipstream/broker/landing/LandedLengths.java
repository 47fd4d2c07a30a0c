package io.slipstream.broker.landing;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.agrona.BufferUtil;

/**
 * How long the batches are that lie uncommitted in segments. Their own length field is zero until the broker commits them, so that a crash
 * before leaves nothing that recovery would take for a batch; the broker's readers of batches, which are to validate them meanwhile, ask here
 * when they meet a length of zero. Any thread; changes are rare.
 */
public final class LandedLengths {
    /** Base offset and length itself. */
    public static final int OVERHEAD_BYTES = 12;

    /** Pairs of first address and end. */
    private static volatile long[] ranges = new long[0];

    private LandedLengths() {}

    static synchronized void add(long address, long lengthBytes) {
        long[] more = Arrays.copyOf(ranges, ranges.length + 2);
        more[ranges.length] = address;
        more[ranges.length + 1] = address + lengthBytes;
        ranges = more;
    }

    static synchronized void remove(long address, long lengthBytes) {
        long[] now = ranges;
        for (int i = 0; i < now.length; i += 2) {
            if (now[i] == address && now[i + 1] == address + lengthBytes) {
                long[] fewer = new long[now.length - 2];
                System.arraycopy(now, 0, fewer, 0, i);
                System.arraycopy(now, i + 2, fewer, i, now.length - i - 2);
                ranges = fewer;
                return;
            }
        }
    }

    /**
     * Bytes of the batch that begins at the buffer's {@code position} and reaches to its limit, if it is one that was placed in a segment
     * and its length field is zero; else 0.
     */
    public static int ofBatch(ByteBuffer buffer, int position) {
        long[] now = ranges;
        if (now.length == 0 || !buffer.isDirect() || buffer.getInt(position + Long.BYTES) != 0) {
            return 0;
        }
        long address = BufferUtil.address(buffer) + position;
        int lengthBytes = buffer.limit() - position;
        for (int i = 0; i < now.length; i += 2) {
            if (address >= now[i] && address + lengthBytes <= now[i + 1]) {
                return lengthBytes;
            }
        }
        return 0;
    }
}
