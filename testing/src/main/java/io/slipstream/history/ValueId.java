// SPDX-License-Identifier: Apache-2.0
package io.slipstream.history;

/** The name of a sent value: producer and sequence in one {@code long}. */
public final class ValueId {
    /** No value. */
    public static final long NONE = -1;

    private ValueId() {}

    public static long of(int producer, int sequence) {
        return (long) producer << 32 | sequence & 0xffff_ffffL;
    }

    public static int producer(long value) {
        return (int) (value >> 32);
    }

    public static int sequence(long value) {
        return (int) value;
    }

    /** Returns {@code p3:17}, or {@code no value}. */
    public static String text(long value) {
        return value == NONE ? "no value" : "p" + producer(value) + ":" + sequence(value);
    }
}
