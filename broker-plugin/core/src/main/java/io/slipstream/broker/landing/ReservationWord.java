package io.slipstream.broker.landing;

import io.slipstream.protocol.ring.PlaceWord;
import io.slipstream.rdma.MemoryRegion;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The word in which proxies and the broker reserve what they append, laid out as {@link PlaceWord}. Any thread. */
final class ReservationWord {
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
        return add(PlaceWord.addend(lengthBytes));
    }

    private long add(long addend) {
        return adder == null ? (long) LONG.getAndAdd(memory, 0, addend) : adder.add(looped, addend);
    }

    /** Nothing more may be reserved; once. */
    void close() {
        add(PlaceWord.CLOSED);
    }

    /** Nobody counts here any more. */
    void release() {
        if (looped != null) {
            looped.close();
        }
    }

    /** Whether somebody reserved more than there is room for. */
    boolean isBeyond(int end) {
        return PlaceWord.position((long) LONG.getVolatile(memory, 0)) > end;
    }
}
