// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.control;

import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.metrics.Label;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import java.util.concurrent.CompletionStage;

/** Counts requests for grants, granted ones and refusals by reason. Any thread. */
record GrantMeters(MeterRegistry registry) {
    /** Counts the answer once it completes. */
    void count(ControlRequest request, CompletionStage<? extends ControlResponse> answer) {
        String kind = kindOf(request);
        if (kind != null) {
            answer.whenComplete((response, failure) ->
                    count(kind, request, failure == null ? response.error() : ControlError.INTERNAL));
        }
    }

    private void count(String kind, ControlRequest request, ControlError error) {
        if (error != ControlError.NONE) {
            registry.count(PluginMeter.GRANTS_REFUSED, kind, Label.valueOf(error))
                    .increment();
        } else if (!(request instanceof ControlRequest.BeginSession)) {
            registry.count(PluginMeter.GRANTS_GRANTED, kind).increment();
        }
    }

    private static String kindOf(ControlRequest request) {
        if (request instanceof ControlRequest.BeginSession || request instanceof ControlRequest.ConfirmSession) {
            return "session";
        }
        return request instanceof ControlRequest.Locate ? "read" : null;
    }
}
