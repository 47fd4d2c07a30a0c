// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Optional;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Skips a class, with the provider's own reason, if there is no RDMA device. The Soft-RoCE machine has one. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(NeedsRdmaDevice.Condition.class)
@interface NeedsRdmaDevice {
    final class Condition implements ExecutionCondition {
        private static final Optional<String> REASON = new VerbsProvider().unavailableReason();

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            return REASON.map(ConditionEvaluationResult::disabled)
                    .orElseGet(() -> ConditionEvaluationResult.enabled("there is a device"));
        }
    }
}
