// SPDX-License-Identifier: Apache-2.0
package io.slipstream.fuzz.differential;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;

/** Mutates frames (with their size) like a broken or hostile client. Pure, given the random numbers. */
final class FrameMutator {
    private static final int[] INTERESTING = {
        0, 1, -1, -2, 2, 127, 128, 255, 256, 32_767, -32_768, 65_535, Integer.MAX_VALUE, Integer.MIN_VALUE, 1 << 20
    };
    private static final int SIZE_BYTES = 4;
    private static final int PREFIX_BYTES = 8;

    private final Random random;

    FrameMutator(Random random) {
        this.random = random;
    }

    /**
     * Returns the frame unchanged in one case of four, else mutated in one to three places. Its size is correct except
     * in one case of a hundred.
     */
    byte[] mutate(byte[] frame) {
        byte[] mutant = frame.clone();
        if (random.nextInt(4) != 0) {
            for (int n = 1 + random.nextInt(3); n > 0; n--) {
                mutant = mutateOnce(mutant);
            }
        }
        ByteBuffer.wrap(mutant).putInt(0, mutant.length - SIZE_BYTES);
        if (random.nextInt(100) == 0) {
            // Above the maximum frame size, because with a smaller one the broker would wait for the rest.
            ByteBuffer.wrap(mutant).putInt(0, random.nextBoolean() ? -1 - random.nextInt(9) : Integer.MAX_VALUE);
        }
        return mutant;
    }

    private byte[] mutateOnce(byte[] frame) {
        int first = SIZE_BYTES + (random.nextInt(10) == 0 ? 0 : PREFIX_BYTES);
        if (frame.length <= first + SIZE_BYTES) {
            return frame;
        }
        int at = first + random.nextInt(frame.length - first - SIZE_BYTES + 1);
        ByteBuffer bytes = ByteBuffer.wrap(frame);
        switch (random.nextInt(8)) {
            case 0 -> frame[at] ^= (byte) (1 << random.nextInt(8));
            case 1 -> frame[at] = (byte) random.nextInt();
            case 2 -> bytes.putInt(at, INTERESTING[random.nextInt(INTERESTING.length)]);
            case 3 -> bytes.putShort(at, (short) INTERESTING[random.nextInt(INTERESTING.length)]);
            case 4 -> bytes.putShort(6, (short) random.nextInt(20)); // another version
            case 5 -> {
                return Arrays.copyOf(frame, at); // cut
            }
            case 6 -> {
                return Arrays.copyOf(frame, frame.length + 1 + random.nextInt(20)); // more than the message
            }
            default -> {
                // Duplicates a piece: more elements than the count, or another field in its place.
                int length = 1 + random.nextInt(Math.min(16, frame.length - at));
                byte[] longer = new byte[frame.length + length];
                System.arraycopy(frame, 0, longer, 0, at + length);
                System.arraycopy(frame, at, longer, at + length, frame.length - at);
                return longer;
            }
        }
        return frame;
    }
}
