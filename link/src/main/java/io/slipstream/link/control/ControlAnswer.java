// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.control;

import io.slipstream.protocol.control.ControlResponse;

/** Takes the answer to one control request; called once, on the event loop that asked. */
@FunctionalInterface
public interface ControlAnswer {
    /**
     * @param response the plugin's answer, refusals included; null if the connection was lost or the deadline passed
     */
    void onAnswer(ControlResponse response);
}
