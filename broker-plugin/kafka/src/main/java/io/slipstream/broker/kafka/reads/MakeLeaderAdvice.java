// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka.reads;

import io.slipstream.broker.fetch.LogEvents;
import net.bytebuddy.asm.Advice;
import org.apache.kafka.metadata.PartitionRegistration;

/**
 * Around {@code Partition.makeLeader}. The broker calls it for every change of the ISR too, so only a new epoch
 * revokes.
 */
public final class MakeLeaderAdvice {
    private MakeLeaderAdvice() {}

    @Advice.OnMethodEnter(suppress = Throwable.class)
    public static void enter(@Advice.This Object partition, @Advice.Argument(0) Object registration) {
        Registrations.leads(partition, registration);
    }

    @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
    public static void exit(@Advice.This Object partition) {
        LogEvents.reconfigured(partition);
    }

    /** Holds the reference to Kafka's type, which the signatures of woven code must not name. */
    public static final class Registrations {
        public static void leads(Object partition, Object registration) {
            LogEvents.partitionLed(partition, ((PartitionRegistration) registration).leaderEpoch);
        }
    }
}
