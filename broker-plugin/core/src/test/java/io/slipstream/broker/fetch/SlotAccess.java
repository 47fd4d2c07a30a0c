// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.protocol.slot.SlotLayout;
import io.slipstream.protocol.slot.SlotView;
import java.nio.ByteBuffer;

/** A reader's access to a broker: Locate and one-sided READs. */
public interface SlotAccess {
    ControlResponse.Locate locate(ControlRequest.Locate request) throws Exception;

    RemoteMemory slotTable();

    /** Executes a READ. The bytes are valid until the next call. */
    ByteBuffer read(RemoteMemory memory, long offset, int lengthBytes);

    /** Returns a consistent copy of the slot. */
    default SlotView slot(int index) {
        byte[] copy = new byte[SlotLayout.SLOT_BYTES];
        SlotView view = new SlotView();
        do {
            read(slotTable(), SlotLayout.slotOffset(index), SlotLayout.SLOT_BYTES)
                    .get(0, copy);
            view.wrap(ByteBuffer.wrap(copy), 0);
        } while (!view.isConsistent());
        return view;
    }
}
