package io.slipstream.broker.landing;

import java.nio.ByteBuffer;
import net.bytebuddy.asm.Advice;

/**
 * Code woven into the broker's appending and into its readers of batches; which method gets which is said by each line's adapter. Compiled into the
 * broker's own methods, hence no more than a call each, and no type of Kafka's in a signature.
 */
public final class LandingAdvice {
    private LandingAdvice() {}

    /** Instead of writing records to a segment's file, where they lie there already. Throws what an append may throw. */
    public static final class Append {
        private Append() {}

        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        public static int enter(@Advice.This Object file, @Advice.Argument(0) Object records) {
            return LandingEvents.append(file, records);
        }

        @Advice.OnMethodExit
        public static void exit(@Advice.Enter int committed, @Advice.Return(readOnly = false) int written) {
            if (committed != 0) {
                written = committed;
            }
        }
    }

    /** Around a leader's append to a partition. Throws what an append may throw. */
    public static final class LeaderAppend {
        private LeaderAppend() {}

        @Advice.OnMethodEnter
        public static Object enter(@Advice.This Object partition, @Advice.Argument(0) Object records) {
            return LandingEvents.beforeAppend(partition, records);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        public static void exit(@Advice.Enter Object turn) {
            LandingEvents.afterAppend(turn);
        }
    }

    /** Before what ends a partition's leadership, or gives it another log. */
    public static final class BeforePartitionChange {
        private BeforePartitionChange() {}

        @Advice.OnMethodEnter(suppress = Throwable.class)
        public static void enter(@Advice.This Object partition) {
            LandingEvents.beforePartitionChange(partition);
        }
    }

    /** Before what cuts, moves, closes, deletes or rolls a log. */
    public static final class BeforeLogChange {
        private BeforeLogChange() {}

        @Advice.OnMethodEnter(suppress = Throwable.class)
        public static void enter(@Advice.This Object log) {
            LandingEvents.beforeLogChange(log);
        }
    }

    /** After a log's settings may have changed. */
    public static final class Reconfigured {
        private Reconfigured() {}

        @Advice.OnMethodExit(suppress = Throwable.class)
        public static void exit(@Advice.This Object log) {
            LandingEvents.reconfigured(log);
        }
    }

    /** After the broker decided whether an append shall begin a new segment. */
    public static final class Roll {
        private Roll() {}

        @Advice.OnMethodExit(suppress = Throwable.class)
        public static void exit(
                @Advice.FieldValue("log") Object file, @Advice.Return(readOnly = false) boolean shouldRoll) {
            shouldRoll = LandingEvents.shouldRoll(file, shouldRoll);
        }
    }

    /** After recovery went through a segment: how many bytes it cut off. */
    public static final class Recovered {
        private Recovered() {}

        @Advice.OnMethodExit(suppress = Throwable.class)
        public static void exit(@Advice.FieldValue("log") Object file, @Advice.Return int cutBytes) {
            LandingEvents.recovered(file, cutBytes);
        }
    }

    /** After a log was loaded, recovered if need be, or made. */
    public static final class Loaded {
        private Loaded() {}

        @Advice.OnMethodExit(suppress = Throwable.class)
        public static void exit(@Advice.This Object log) {
            LandingEvents.loaded(log);
        }
    }

    /** Where the broker reads how long a batch in memory is. */
    public static final class BatchSize {
        private BatchSize() {}

        @Advice.OnMethodExit
        public static void exit(
                @Advice.FieldValue("buffer") ByteBuffer buffer, @Advice.Return(readOnly = false) int sizeBytes) {
            if (sizeBytes == LandedLengths.OVERHEAD_BYTES) {
                sizeBytes = LandingEvents.batchSize(buffer, sizeBytes);
            }
        }
    }

    /** Where the broker reads how long the next batch in memory is, and takes a length of zero for corruption. */
    public static final class NextBatchSize {
        private NextBatchSize() {}

        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        public static Integer enter(@Advice.FieldValue("buffer") ByteBuffer buffer) {
            return LandingEvents.nextBatchSize(buffer);
        }

        @Advice.OnMethodExit
        public static void exit(@Advice.Enter Integer landed, @Advice.Return(readOnly = false) Integer sizeBytes) {
            if (landed != null) {
                sizeBytes = landed;
            }
        }
    }
}
