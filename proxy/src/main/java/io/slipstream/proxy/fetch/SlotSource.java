// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.slipstream.protocol.slot.SlotView;

/** Copies of the slots of a request's partition entries. */
public interface SlotSource {
    /** Sets {@code view} to the copy of the entry's slot. */
    void slotOf(int entry, SlotView view);
}
