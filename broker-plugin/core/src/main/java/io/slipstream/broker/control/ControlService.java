// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.control;

import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import java.util.concurrent.CompletionStage;

/** Answers control requests. The control thread calls it. */
public interface ControlService {
    /**
     * Answers now or later, on any thread; never completes exceptionally.
     *
     * @param connection identity of the control connection; links and sessions made on it end with it
     */
    CompletionStage<? extends ControlResponse> handle(Object connection, ControlRequest request);

    void connectionClosed(Object connection);
}
