// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.broker;

import io.slipstream.broker.fetch.LogEvents;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;

/** The hooks of one broker process. The plugin keeps one receiver in a JVM, which simulated brokers share. */
final class Hooks {
    private static final VarHandle RECEIVER = receiver();

    private final Object receiver;

    private Hooks(Object receiver) {
        this.receiver = receiver;
    }

    private static VarHandle receiver() {
        try {
            Field field = LogEvents.class.getDeclaredField("receiver");
            return MethodHandles.privateLookupIn(LogEvents.class, MethodHandles.lookup())
                    .unreflectVarHandle(field);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("LogEvents is not as the simulation knows it", e);
        }
    }

    /** Returns the hooks of the plugin that was opened last. */
    static Hooks ofLastOpened() {
        return new Hooks(RECEIVER.get());
    }

    private void enter() {
        RECEIVER.set(receiver);
    }

    void logChanged(Object log) {
        enter();
        LogEvents.logChanged(log);
    }

    void abortedTransactionIndexed() {
        enter();
        LogEvents.abortedTransactionIndexed();
    }

    void segmentRemoved(Object segment) {
        enter();
        LogEvents.segmentRemoved(segment);
    }

    void revoked(Object logOrPartition, String reason) {
        enter();
        LogEvents.revoked(logOrPartition, reason);
    }

    void partitionLed(Object partition, int leaderEpoch) {
        enter();
        LogEvents.partitionLed(partition, leaderEpoch);
    }

    void reconfigured(Object partition) {
        enter();
        LogEvents.reconfigured(partition);
    }
}
