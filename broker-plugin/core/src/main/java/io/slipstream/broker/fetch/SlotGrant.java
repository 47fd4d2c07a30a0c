// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import io.slipstream.protocol.control.ControlError;

/** A slot, or the reason why there is none. */
record SlotGrant(GrantedSlot slot, ControlError error, String message) {
    static SlotGrant granted(GrantedSlot slot) {
        return new SlotGrant(slot, ControlError.NONE, null);
    }

    static SlotGrant refused(ControlError error, String message) {
        return new SlotGrant(null, error, message);
    }
}
