package io.slipstream.broker.landing;

import io.slipstream.rdma.MemoryRegion;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The eight bytes in which proxies, by FETCH_AND_ADD, and the broker reserve order and place of what they append (KafkaDirect, section 4.2.2). The highest
 * bit of the place is set when nothing more may be reserved; adding goes on then, and shows it to each who adds. Any thread.
 *
 * <pre>
 *   63      48 47                     0
 *   ├─ order ─┼─ position in segment ─┤
 * </pre>
 */
final class ReservationWord {
    static final int POSITION_BITS = 48;
    static final int ORDERS = 1 << 16;
    private static final long POSITION_MASK = (1L << POSITION_BITS) - 1;
    private static final long CLOSED = 1L << (POSITION_BITS - 1);
    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final ByteBuffer memory;
    private final LoopbackAdder adder;
    private final MemoryRegion looped;

    /** Where this processor's additions and the device's are atomic with each other. */
    ReservationWord(MemoryRegion region) {
        this.memory = region.buffer();
        this.adder = null;
        this.looped = null;
    }

    /** Where they are not: the broker adds as proxies do. */
    ReservationWord(MemoryRegion region, LoopbackAdder adder) throws IOException {
        this.memory = region.buffer();
        this.adder = adder;
        this.looped = adder.share(region);
    }

    /** Before any proxy may add. */
    void open(int position) {
        LONG.setVolatile(memory, 0, (long) position);
    }

    /** Order and position of the next {@code lengthBytes}. Throws IllegalStateException if the device fails. */
    long reserve(int lengthBytes) {
        return add((1L << POSITION_BITS) + lengthBytes);
    }

    private long add(long addend) {
        return adder == null ? (long) LONG.getAndAdd(memory, 0, addend) : adder.add(looped, addend);
    }

    static int order(long reserved) {
        return (int) (reserved >>> POSITION_BITS);
    }

    /** Not below 2⁴⁷ if nothing may be reserved any more. */
    static long position(long reserved) {
        return reserved & POSITION_MASK;
    }

    /** Nothing more may be reserved; once. */
    void close() {
        add(CLOSED);
    }

    /** Nobody counts here any more. */
    void release() {
        if (looped != null) {
            looped.close();
        }
    }

    /** Whether somebody reserved more than there is room for. */
    boolean isBeyond(int end) {
        return position((long) LONG.getVolatile(memory, 0)) > end;
    }
}
