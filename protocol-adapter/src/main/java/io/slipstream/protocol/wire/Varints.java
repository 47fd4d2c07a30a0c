// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.wire;

import java.nio.ByteBuffer;

/** Unsigned varints, 7 bits per byte, low bits first, as in Kafka's compact encodings. */
public final class Varints {
    private Varints() {}

    public static void writeUnsigned(ByteBuffer out, int value) {
        while ((value & ~0x7f) != 0) {
            out.put((byte) (value | 0x80));
            value >>>= 7;
        }
        out.put((byte) value);
    }

    /** Encoded size in bytes, 1 to 5. */
    public static int sizeOfUnsigned(int value) {
        return (38 - Integer.numberOfLeadingZeros(value | 1)) / 7;
    }
}
