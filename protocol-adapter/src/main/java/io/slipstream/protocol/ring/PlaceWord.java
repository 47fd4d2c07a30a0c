package io.slipstream.protocol.ring;

/**
 * Layout of the eight bytes in which order and place of what is appended to a shared segment are reserved by FETCH_AND_ADD (KafkaDirect, section 4.2.2).
 * The highest bit of the position is set when nothing more may be reserved; adding goes on then, and shows it to each who adds.
 *
 * <pre>
 *   63      48 47                     0
 *   ├─ order ─┼─ position in segment ─┤
 * </pre>
 */
public final class PlaceWord {
    public static final int ORDERS = 1 << 16;
    private static final int POSITION_BITS = 48;
    private static final long POSITION_MASK = (1L << POSITION_BITS) - 1;
    /** Added once. */
    public static final long CLOSED = 1L << (POSITION_BITS - 1);

    private PlaceWord() {}

    /** What to add for a batch of that length. */
    public static long addend(int lengthBytes) {
        return (1L << POSITION_BITS) + lengthBytes;
    }

    public static int order(long word) {
        return (int) (word >>> POSITION_BITS);
    }

    /** Not below 2⁴⁷ if nothing may be reserved any more. */
    public static long position(long word) {
        return word & POSITION_MASK;
    }
}
