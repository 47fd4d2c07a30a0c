// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.provider;

import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.TransportCounters;
import java.util.List;
import java.util.Objects;
import org.agrona.UnsafeApi;

/**
 * The words in which the owner thread of one completion queue counts. It adds with plain reads and opaque writes; other
 * threads read {@link #sumOf} with acquire.
 */
public final class CounterBlock {
    // No VarHandle, for the reason given in OwnerActivity.
    private static final long WORDS = UnsafeApi.arrayBaseOffset(long[].class);
    private static final int OPCODES = Opcode.values().length;
    private static final int BYTES = OPCODES;
    private static final int FAILURES = BYTES + OPCODES;
    private static final int WAKE_UPS = FAILURES + CompletionStatus.values().length;
    private static final int WORD_COUNT = WAKE_UPS + 1;

    private final long[] words = new long[WORD_COUNT];

    private void add(int index, long amount) {
        // The plain read of the array element checks the index.
        UnsafeApi.putLongOpaque(words, WORDS + (long) index * Long.BYTES, words[index] + amount);
    }

    public void succeeded(Opcode opcode, long sizeBytes) {
        add(opcode.ordinal(), 1);
        add(BYTES + opcode.ordinal(), sizeBytes);
    }

    public void failed(CompletionStatus status) {
        add(FAILURES + status.ordinal(), 1);
    }

    public void wokePeer() {
        add(WAKE_UPS, 1);
    }

    private long read(int index) {
        Objects.checkIndex(index, WORD_COUNT);
        return UnsafeApi.getLongAcquire(words, WORDS + (long) index * Long.BYTES);
    }

    /** The live sum over the blocks of a list, which may grow concurrently. */
    public static TransportCounters sumOf(List<CounterBlock> blocks) {
        return new Sum(blocks);
    }

    private record Sum(List<CounterBlock> blocks) implements TransportCounters {
        @Override
        public long operations(Opcode opcode) {
            return at(opcode.ordinal());
        }

        @Override
        public long bytes(Opcode opcode) {
            return at(BYTES + opcode.ordinal());
        }

        @Override
        public long failures(CompletionStatus status) {
            return at(FAILURES + status.ordinal());
        }

        @Override
        public long wakeUps() {
            return at(WAKE_UPS);
        }

        private long at(int index) {
            long sum = 0;
            for (int i = 0; i < blocks.size(); i++) {
                sum += blocks.get(i).read(index);
            }
            return sum;
        }
    }
}
