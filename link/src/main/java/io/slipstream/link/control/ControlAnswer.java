// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.control;

import io.slipstream.protocol.control.ControlResponse;

/** Receives the answer to one control request; called once, on the event loop of the request. */
@FunctionalInterface
public interface ControlAnswer {
    /**
     * @param response the plugin's answer, possibly a refusal; null if the connection was lost or the request timed out
     */
    void onAnswer(ControlResponse response);
}
