// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import java.nio.ByteBuffer;
import org.agrona.BufferUtil;

/** Makes a native read beyond the end of memory, to check that the sanitizer reports it. */
final class PlantedOverflow {
    private PlantedOverflow() {}

    public static void main(String[] arguments) {
        NativeVerbs natives = NativeLibrary.natives();
        ByteBuffer tooSmall = ByteBuffer.allocateDirect(8);
        // An ibv_comp_channel's descriptor is at offset 8.
        System.out.println("read " + natives.completionChannelFd(BufferUtil.address(tooSmall)));
    }
}
