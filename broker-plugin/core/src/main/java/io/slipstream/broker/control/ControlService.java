// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.control;

import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import java.util.concurrent.CompletionStage;

/** What answers control requests. Called by the control thread. */
public interface ControlService {
    /**
     * Answers now or later, on any thread; never exceptionally.
     *
     * @param connection identifies the control connection; what is made on it ends with it
     */
    CompletionStage<? extends ControlResponse> handle(Object connection, ControlRequest request);

    void connectionClosed(Object connection);
}
