// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka.transactions;

import io.slipstream.broker.hook.HookPoint;
import java.util.Collection;
import net.bytebuddy.asm.Advice;

/**
 * At the beginning of {@code AddPartitionsToTxnManager.addOrVerifyTransaction}, which is skipped if
 * {@link OwnCoordinator} takes the partitions. An exception of the broker's callback passes on, as from the method
 * itself.
 */
public final class AddPartitionsAdvice {
    private static final String MANAGER = "org.apache.kafka.server.transaction.AddPartitionsToTxnManager";

    private AddPartitionsAdvice() {}

    public static HookPoint hook() {
        return new HookPoint(
                AddPartitionsAdvice.class,
                MANAGER,
                "addOrVerifyTransaction",
                "java.lang.String",
                "long",
                "short",
                "java.util.Collection",
                MANAGER + "$AppendCallback",
                MANAGER + "$TransactionSupportedOperation");
    }

    @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
    public static boolean enter(
            @Advice.This Object manager,
            @Advice.Argument(0) String transactionalId,
            @Advice.Argument(1) long producerId,
            @Advice.Argument(2) short producerEpoch,
            @Advice.Argument(3) Collection<?> partitions,
            @Advice.Argument(4) Object callback,
            @Advice.Argument(5) Object operation) {
        return OwnCoordinator.take(
                manager, transactionalId, producerId, producerEpoch, partitions, callback, operation);
    }
}
