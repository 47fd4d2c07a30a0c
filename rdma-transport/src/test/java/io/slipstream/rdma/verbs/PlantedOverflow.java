// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import java.nio.ByteBuffer;

/** Has a native read behind the end of memory, to see that the sanitizer would tell. */
final class PlantedOverflow {
    private PlantedOverflow() {}

    public static void main(String[] arguments) {
        NativeVerbs natives = NativeLibrary.natives();
        ByteBuffer tooSmall = ByteBuffer.allocateDirect(8);
        // An ibv_comp_channel's descriptor is at offset 8.
        System.out.println("read " + natives.completionChannelFd(natives.addressOf(tooSmall)));
    }
}
